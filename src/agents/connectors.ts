// The agents whose own settings can be pointed at Holdpoint with `holdpoint connect`. Adding one is a file and a line.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { connected, disconnected, type HookDoor, hasHooks } from './claude-settings.ts';

/** Pure but for where the file is: what a person's settings are with us, and without. Throws `SettingsProblem`. */
export interface Connector {
  /** The file of the person's own that is changed. */
  file(env: NodeJS.ProcessEnv): string;
  connected(text: string | undefined, door: HookDoor): string;
  disconnected(text: string): string;
  isConnected(text: string): boolean;
  /** What the person should know afterwards. */
  note: string;
}

export const connectors: Readonly<Record<string, Connector>> = {
  claude: {
    file: (env) => join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'settings.json'),
    connected,
    disconnected,
    isConnected: hasHooks,
    note: 'Every Claude Code you start from now on asks here as well as at its terminal; the first answer counts.',
  },
};
