// Runs the real Codex in a test bed: a server and a worker inside the test, the pinned binary as `codex` in the PATH, its home
// and work folders in a temporary place, and the scripted model. With RECORD_TRANSCRIPTS set, what Codex and Holdpoint
// say to each other is written to test/transcripts, where the unit tests play it again.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { codex as agent } from '../../../src/agents/codex/agent.ts';
import type { AskView, RunView } from '../../../src/core/views.ts';
import { codex } from './binaries.ts';
import { HostedTestBed } from './hosted-test-bed.ts';
import { OpenAiModel, type Script } from './model-openai.ts';

export type Input = Record<string, unknown>;

export class CodexTestBed extends HostedTestBed<OpenAiModel> {
  /** `config`: more for config.toml, beginning with a table. */
  static async open(config: (root: string) => string = () => ''): Promise<CodexTestBed> {
    const testBed = new CodexTestBed('codex');
    const model = await OpenAiModel.start();
    await testBed.host(agent, model, codexEnvironment(testBed.root, model.url, config(testBed.root)));
    return testBed;
  }

  /** A run in a session of its own; the key tells its conversation with the model from others. */
  async start(key: string, script: Script, input: Input = {}, folder = this.folder()): Promise<RunView> {
    this.model.play(key, script);
    if (process.env.RECORD_TRANSCRIPTS) process.env.TRANSCRIPT = key;
    const session = await this.bed.api.sessions.create({ agent: 'codex', work_folder: folder });
    return this.bed.api.runs.start(session.session_id, { input: { text: `Do this: ${key}`, ...SETTINGS, ...input } });
  }

  async asked(run: RunView): Promise<AskView> {
    const [ask] = await this.asks(run, 1);
    if (!ask) throw new Error('nothing is pending');
    return ask;
  }

  /** What Codex itself wrote down about a thread. */
  rollout(thread: string): string[] {
    const folder = join(this.root, 'home', 'sessions');
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.includes(thread));
    return (readIfThere(folder, file ?? '') ?? '').trim().split('\n');
  }
}

const SETTINGS = { sandbox: 'workspace-write', approval_policy: 'on-request' };

export function readIfThere(...path: string[]): string | undefined {
  try {
    return readFileSync(join(...path), 'utf8');
  } catch {
    return undefined;
  }
}

/** A command that always asks, needs no sandbox, and leaves a trace. */
export const escalated = (cmd: string, justification = 'May I?') => ({
  call: 'exec_command',
  input: { cmd, sandbox_permissions: 'require_escalated', justification },
});

/** Sets the environment that workers of this process, and programs they start, will see. */
export function setUp(root: string, modelUrl: string, config: string): void {
  Object.assign(process.env, codexEnvironment(root, modelUrl, config));
}

/** Makes a home for Codex below `root`, and returns the environment in which it is used. */
export function codexEnvironment(root: string, modelUrl: string, config: string): Record<string, string> {
  const home = join(root, 'home');
  const bin = join(root, 'bin');
  for (const folder of [home, bin, join(root, 'scratch')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, 'config.toml'), configFor(modelUrl, config));
  const recorder = process.env.RECORD_TRANSCRIPTS && join(import.meta.dirname, 'record-transcript.mjs');
  if (recorder && codex) {
    writeFileSync(join(bin, 'codex'), `#!/bin/sh\nexec "${process.execPath}" "${recorder}" "${codex}" "$@"\n`, {
      mode: 0o755,
    });
  } else if (codex) symlinkSync(codex, join(bin, 'codex'));
  return {
    HOME: root,
    CODEX_HOME: home,
    TMPDIR: join(root, 'scratch'),
    PATH: [bin, process.env.PATH].join(delimiter),
  };
}

/** Sandboxes leave the machine's own temporary folder alone: with it writable, Codex makes a .git in it for as long as one runs. */
const configFor = (modelUrl: string, more: string): string => `model = "fake-model"
model_provider = "fake"
check_for_update_on_startup = false
suppress_unstable_features_warning = true
[analytics]
enabled = false
[feedback]
enabled = false
[sandbox_workspace_write]
exclude_slash_tmp = true
[model_providers.fake]
name = "Fake"
base_url = "${modelUrl}"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
${more}
`;
