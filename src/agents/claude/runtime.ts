// Claude Code without a terminal (`claude -p …`). How to ask is told as a skill. A dispatch that carries an answer tells
// the model so even where the spec has no prompt template: `claude -p` adds its standard input to the prompt.
import { basename, join } from 'node:path';
import { withPrompt } from '../exec/plain-runtime.ts';
import { literalJson, literally } from '../kit/mention-escape.ts';
import { HOW_TO_ASK } from '../kit/needs-input-text.ts';
import { type RuntimeAdapter, SENTINEL, sentinelAt } from '../kit/runtime.ts';

const SKILLS = '.claude/skills';
const SKILL = `${SKILLS}/agora-needs-input`;

const HEAD = `---
name: agora-needs-input
description: How to ask a person a question from a headless run. Use it whenever you need a decision, a preference, a credential or a missing fact, or are about to guess or pick a default that a person should choose.
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
    // An agent that commits everything it finds must not commit this.
    { path: `${SKILL}/.gitignore`, content: '*\n' },
  ],
  tell: (value) => (typeof value === 'string' ? literally(value) : literalJson(value)),
  async invoke(invocation, context) {
    const prompt = invocation.prompt ?? carriedOn(invocation.input);
    const exit = await context.run(withPrompt({ ...invocation, prompt }));
    return { ...exit, ...(await sentinelAt(join(invocation.workspaceDir, SENTINEL))) };
  },
};

function carriedOn(input: Record<string, unknown>): string | undefined {
  if (input.answer === undefined) return undefined;
  const answer = input.declined ? 'The person declined to answer your question.' : `The answer: ${input.answer}`;
  const why = typeof input.justification === 'string' ? `\nTheir words: ${input.justification}` : '';
  const state = input.partial_state === undefined ? '' : `\nYour partial_state: ${literalJson(input.partial_state)}`;
  const told = `You stopped earlier in this task to ask a question, and are now started again.\n${answer}${why}${state}\nGo on.`;
  return literally(told);
}
