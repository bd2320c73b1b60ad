// Locates the control socket of the Codex daemon and the folder that Codex keeps its settings in.
import { homedir } from 'node:os';
import { join } from 'node:path';

export const codexHome = (env: NodeJS.ProcessEnv): string => env.CODEX_HOME || join(env.HOME || homedir(), '.codex');

export const daemonSocket = (home: string): string => join(home, 'app-server-control', 'app-server-control.sock');
