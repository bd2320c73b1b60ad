// The versions of the agents that the tests against the real programs run, and how each is found and installed. The one
// place that says so: `holdpoint doctor` compares it with what is on the machine, a test with what the tests install.

export interface Tested {
  /** The agent's name here, and the program it is run by. */
  agent: string;
  program: string;
  /** As `program --version` names it. */
  version: string;
  install: string;
}

export const TESTED: readonly Tested[] = [
  { agent: 'claude', program: 'claude', version: '2.1.325', install: 'npm install -g @anthropic-ai/claude-code' },
  { agent: 'codex', program: 'codex', version: '0.166.0', install: 'npm install -g @openai/codex' },
];
