// The agents whose own settings can be pointed at Holdpoint with `holdpoint connect`. Adding one is a file and a line.
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as claude from './claude/connect.ts';
import * as codex from './codex/connect.ts';

/** Pure but for where the file is: what a person's settings are with us, and without. Throws `SettingsProblem`. */
export interface Connector {
  /** Names the folder of its settings, where that is not the usual one. */
  folderVariable: string;
  /** The file of the person's own that is changed. */
  file(env: NodeJS.ProcessEnv): string;
  connected(text: string | undefined, door: claude.HookDoor & codex.HookProgram): string;
  /** `before`: the file as it was, where that is known. */
  disconnected(text: string, before?: string): string;
  isConnected(text: string): boolean;
  /** What a person is shown of it: short, without secrets. */
  shown(text: string): string;
  /** Where the hooks in it lead, with the token they carry. */
  doors(text: string): { url: string; token?: string }[];
  /** What to do by hand where the file is not understood. */
  byHand: string;
  /** Whether its hooks carry a token of their own; otherwise they find one in the state folder, as the person does. */
  needsToken: boolean;
  /** What the person should know afterwards. */
  note: string;
}

export const connectors: Readonly<Record<string, Connector>> = {
  claude: {
    folderVariable: 'CLAUDE_CONFIG_DIR',
    file: (env) => join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'settings.json'),
    needsToken: true,
    connected: claude.connected,
    disconnected: claude.disconnected,
    isConnected: claude.hasHooks,
    shown: claude.shown,
    doors: claude.doors,
    byHand: claude.mark,
    note: 'Every Claude Code you start from now on asks here as well as at its terminal; the first answer counts.',
  },
  codex: {
    folderVariable: 'CODEX_HOME',
    file: (env) => join(env.CODEX_HOME || join(env.HOME || homedir(), '.codex'), 'hooks.json'),
    needsToken: false,
    connected: codex.connected,
    disconnected: codex.disconnected,
    isConnected: codex.isConnected,
    shown: codex.shown,
    doors: codex.doors,
    byHand: codex.mark,
    note: 'A Codex that shares its daemon asks here and at its prompt; the first answer counts. Others ask through the hook, here alone while it waits, once you have trusted it: the next Codex you start asks you to review it (or type /hooks).',
  },
};
