// Names the Codex program, the version that the tests run, and how to install it.
import type { Program } from '../agent.ts';

export const program: Program = { command: 'codex', tested: '0.166.0', install: 'npm install -g @openai/codex' };
