// Lists programs that speak the Agent Client Protocol (ACP), so that a run can name one instead of its command line. Data only.

export interface KnownAgent {
  title: string;
  command: readonly string[];
  /** The shell command that installs it, or the page that says how. */
  install: string;
}

export const knownAgents: Readonly<Record<string, KnownAgent>> = {
  claude: {
    title: 'Claude Agent',
    command: ['claude-agent-acp'],
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
  },
  codex: { title: 'Codex', command: ['codex-acp'], install: 'npm install -g @zed-industries/codex-acp' },
  copilot: {
    title: 'GitHub Copilot',
    command: ['copilot', '--acp', '--stdio'],
    install: 'npm install -g @github/copilot',
  },
  cursor: { title: 'Cursor', command: ['cursor-agent', 'acp'], install: 'https://cursor.com/docs/cli/acp' },
  gemini: { title: 'Gemini CLI', command: ['gemini', '--acp'], install: 'npm install -g @google/gemini-cli' },
  goose: { title: 'goose', command: ['goose', 'acp'], install: 'https://block.github.io/goose' },
  kimi: { title: 'Kimi Code', command: ['kimi', 'acp'], install: 'https://moonshotai.github.io/kimi-cli' },
  kiro: { title: 'Kiro', command: ['kiro-cli', 'acp'], install: 'https://kiro.dev/docs/cli' },
  opencode: { title: 'OpenCode', command: ['opencode', 'acp'], install: 'npm install -g opencode-ai' },
  qwen: { title: 'Qwen Code', command: ['qwen', '--acp'], install: 'npm install -g @qwen-code/qwen-code' },
};
