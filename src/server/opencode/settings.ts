// Answers what OpenCode's clients read when they start: providers, agents, commands, paths. Holdpoint has none of these, so
// each reply is as empty as clients accept; without a provider and a model the terminal client asks to connect one.
import { DOOR_USER } from './protocol.ts';
import { NO_FOLDER, PROJECT, PROVIDER } from './session.ts';

const AGENT = { name: 'holdpoint', mode: 'primary', permission: [], options: {} };
const PROJECT_INFO = { id: PROJECT, worktree: NO_FOLDER, time: { created: 0, updated: 0 }, sandboxes: [] };

const MODEL = {
  id: 'none',
  providerID: PROVIDER,
  api: { id: 'none', url: '', npm: '' },
  name: 'chosen by the agent',
  capabilities: {
    temperature: false,
    reasoning: false,
    attachment: false,
    toolcall: true,
    input: { text: true, audio: false, image: false, video: false, pdf: false },
    output: { text: true, audio: false, image: false, video: false, pdf: false },
    interleaved: false,
  },
  cost: { input: 0, output: 0, cache: { read: 0, write: 0 } },
  limit: { context: 0, output: 0 },
  status: 'active',
  options: {},
  headers: {},
  release_date: '',
};
const PROVIDERS = [
  { id: PROVIDER, name: 'Holdpoint', source: 'custom', env: [], options: {}, models: { [MODEL.id]: MODEL } },
];
const DEFAULT_MODEL = { [PROVIDER]: MODEL.id };

/** By path; each takes the folder of the caller. */
export const settingsOf = (version: string): Record<string, (directory: string) => unknown> => ({
  '/global/health': () => ({ healthy: true, version }),
  '/path': (directory) => ({ home: NO_FOLDER, state: NO_FOLDER, config: NO_FOLDER, worktree: NO_FOLDER, directory }),
  '/project': () => [PROJECT_INFO],
  '/project/current': () => PROJECT_INFO,
  '/config': () => ({ username: DOOR_USER, share: 'disabled', autoupdate: false }),
  '/config/providers': () => ({ providers: PROVIDERS, default: DEFAULT_MODEL }),
  '/provider': () => ({ all: PROVIDERS, default: DEFAULT_MODEL, connected: [PROVIDER] }),
  '/provider/auth': () => ({}),
  '/agent': () => [AGENT],
  '/command': () => [],
  '/skill': () => [],
  '/lsp': () => [],
  '/mcp': () => ({}),
  '/formatter': () => [],
  '/vcs': () => ({}),
  '/experimental/resource': () => ({}),
  '/experimental/workspace': () => [],
});
