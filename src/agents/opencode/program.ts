// Names the OpenCode program, the version that the tests run, and how to install it.
import type { Program } from '../agent.ts';

export const program: Program = { command: 'opencode', tested: '1.18.33', install: 'npm install -g opencode-ai' };
