// Describes the runtime of any headless command, with instructions for asking in AGENTS.md, which most coding agents read.
import { HOW_TO_ASK } from '../kit/needs-input-text.ts';
import { invokeCommand, type RuntimeAdapter, SENTINEL } from '../kit/runtime.ts';

export const plain: RuntimeAdapter = {
  name: 'exec',
  sentinel: SENTINEL,
  skills: '.agora/skills',
  recognises: () => true,
  overlay: () => [
    { path: 'AGENTS.md', beside: true, content: `## When you need a person's answer\n\n${HOW_TO_ASK}\n` },
  ],
  invoke: invokeCommand,
};
