// The real OpenCode against the scripted model, hosted by a worker in this process: what the tests of the `opencode` agent
// need. Its home is a temporary folder, and nothing is downloaded: no list of models, no plugin, no language server.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { opencode as agent } from '../../../src/agents/opencode/agent.ts';
import type { Rule } from '../../../src/core/rule.ts';
import { opencode } from './binaries.ts';
import { HostedTestBed } from './hosted-test-bed.ts';
import { Model, type Script } from './model.ts';

/** What OpenCode is started with, and nothing else: no key, no network. `config`: more for its configuration file. */
export function opencodeEnvironment(root: string, modelUrl: string, config: object = {}): Record<string, string> {
  const folders = ['home', 'cfg', 'data', 'cache', 'state'].map((name) => join(root, name));
  const [HOME = '', XDG_CONFIG_HOME = '', XDG_DATA_HOME = '', XDG_CACHE_HOME = '', XDG_STATE_HOME = ''] = folders;
  for (const folder of [...folders, join(XDG_CONFIG_HOME, 'opencode')]) mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(XDG_CONFIG_HOME, 'opencode', 'opencode.json'),
    JSON.stringify({ ...configFor(modelUrl), ...config }),
  );
  return {
    PATH: [dirname(opencode ?? ''), process.env.PATH].join(delimiter),
    HOME,
    XDG_CONFIG_HOME,
    XDG_DATA_HOME,
    XDG_CACHE_HOME,
    XDG_STATE_HOME,
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_CLAUDE_CODE: '1',
  };
}

/** OpenCode has models with such a name change files with patches. */
export const PATCHING_MODEL = 'gpt-5-fake';
const model = (name: string) => ({ name, tool_call: true, limit: { context: 100_000, output: 4096 } });

const configFor = (modelUrl: string) => ({
  autoupdate: false,
  share: 'disabled',
  model: 'fake/fake-1',
  small_model: 'fake/fake-1',
  enabled_providers: ['fake'],
  provider: {
    fake: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Fake',
      options: { baseURL: `${modelUrl}/v1`, apiKey: 'not-a-key' },
      models: { 'fake-1': model('Fake 1'), [PATCHING_MODEL]: model('Fake 2') },
    },
  },
});

export class OpencodeTestBed extends HostedTestBed<Model> {
  constructor() {
    super('opencode');
  }

  async open(): Promise<void> {
    const model = await Model.start();
    await this.host(agent, model, opencodeEnvironment(this.root, model.url));
  }

  /** A run in a session of its own; the key tells its conversation with the model from others. */
  async start(key: string, script: (folder: string) => Script, input: object = {}, rules: Rule[] = []) {
    const folder = this.folder();
    this.model.play(script(folder), key);
    const { session_id } = await this.bed.api.sessions.create({ agent: 'opencode', work_folder: folder, rules });
    const run = await this.bed.api.runs.start(session_id, { input: { text: `Do this: ${key}`, ...input } });
    return {
      run,
      folder,
      asks: (count = 1) => this.asks(run, count),
      over: () => this.over(run),
      has: (name: string) => existsSync(join(folder, name)),
    };
  }

  /** The last request that the model got in a conversation. */
  told = (key: string): string => this.model.told.findLast((told) => told.includes(key)) ?? '';
}
