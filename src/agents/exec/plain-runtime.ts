// Any headless command. The prompt, if there is one, takes the place of `{{prompt}}` in its arguments, or goes to its
// standard input; how to ask is told in AGENTS.md, which most coding agents read.
import { join } from 'node:path';
import { HOW_TO_ASK } from '../kit/needs-input-text.ts';
import { type RuntimeAdapter, type RuntimeInvocation, SENTINEL, sentinelAt } from '../kit/runtime.ts';

const PLACE_OF_PROMPT = '{{prompt}}';

export const plain: RuntimeAdapter = {
  name: 'exec',
  sentinel: SENTINEL,
  skills: '.agora/skills',
  recognises: () => true,
  overlay: () => [
    { path: 'AGENTS.md', beside: true, content: `## When you need a person's answer\n\n${HOW_TO_ASK}\n` },
  ],
  async invoke(invocation, context) {
    const exit = await context.run(withPrompt(invocation));
    return { ...exit, ...(await sentinelAt(join(invocation.workspaceDir, SENTINEL))) };
  },
};

export function withPrompt({ command, prompt }: Pick<RuntimeInvocation, 'command' | 'prompt'>) {
  const text = prompt ?? '';
  if (!command.some((word) => word.includes(PLACE_OF_PROMPT))) return { argv: command, input: prompt };
  return { argv: command.map((word) => word.replaceAll(PLACE_OF_PROMPT, () => text)), input: undefined };
}
