// Names the Claude Code program, the version that the tests run, and how to install it.
import type { Program } from '../agent.ts';

export const program: Program = {
  command: 'claude',
  tested: '2.1.325',
  install: 'npm install -g @anthropic-ai/claude-code',
};
