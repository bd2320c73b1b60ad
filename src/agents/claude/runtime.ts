// Describes how a headless dispatch runs `claude -p …`: the skill it adds to the workspace, which explains how to ask, and
// the prompt. The prompt of a dispatch that resumes with an answer always contains the answer, also without a template.
import { basename } from 'node:path';
import { escapedJson, escapeMentions } from '../kit/mention-escape.ts';
import { HOW_TO_ASK, invokeCommand, type RuntimeAdapter, SENTINEL } from '../kit/runtime.ts';

const SKILLS = '.claude/skills';
const SKILL = `${SKILLS}/agora-needs-input`;

const HEAD = `---
name: agora-needs-input
description: How to ask a person a question from a headless run. Use it whenever you need a decision, a preference or a missing fact, or are about to guess or pick a default that a person should choose.
---

# Asking a person from a headless run

`;

export const claudeRuntime: RuntimeAdapter = {
  name: 'claude-code',
  sentinel: SENTINEL,
  skills: SKILLS,
  recognises: ([program = '']) => /^claude(\.exe)?$/.test(basename(program)),
  overlay: () => [
    { path: `${SKILL}/SKILL.md`, content: `${HEAD}${HOW_TO_ASK}\n` },
    // Keeps an agent that commits everything from committing this.
    { path: `${SKILL}/.gitignore`, content: '*\n' },
  ],
  tell: (value) => (typeof value === 'string' ? escapeMentions(value) : escapedJson(value)),
  invoke: (invocation, context) => invokeCommand({ ...invocation, prompt: withAnswer(invocation) }, context),
};

/** A template that does not mention the answer would start the model with the same task once more. */
function withAnswer({ prompt, input }: { prompt?: string | undefined; input: Record<string, unknown> }) {
  const isMentioned = typeof input.answer === 'string' && prompt?.includes(escapeMentions(input.answer));
  return isMentioned
    ? prompt
    : [prompt, answerPrompt(input)].filter((text) => text !== undefined).join('\n\n') || undefined;
}

function answerPrompt(input: Record<string, unknown>): string | undefined {
  if (input.answer === undefined) return undefined;
  const answer = input.declined ? 'The person declined to answer your question.' : `The answer: ${input.answer}`;
  const why = typeof input.justification === 'string' ? `\nTheir words: ${input.justification}` : '';
  const state = input.partial_state === undefined ? '' : `\nYour partial_state: ${escapedJson(input.partial_state)}`;
  const told = `You stopped earlier in this task to ask a question, and are now started again.\n${answer}${why}${state}\nGo on.`;
  return escapeMentions(told);
}
