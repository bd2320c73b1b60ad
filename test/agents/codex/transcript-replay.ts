// Test bed on which `codex` replays a transcript: a server, a worker with the real adapter, and the recorded side of the
// real Codex. Holdpoint must send it exactly the messages that were recorded.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { codex } from '../../../src/agents/codex/agent.ts';
import type { AskView, RunView } from '../../../src/core/views.ts';
import { openServer, type Server } from '../../support/server.ts';
import { TestBed } from '../../support/test-bed.ts';

export const transcripts = join(import.meta.dirname, '..', '..', 'transcripts', 'codex');

type Fields = Record<string, unknown>;
export interface Line {
  from: 'agent' | 'holdpoint';
  message: { id?: number | string; method?: string; params?: Fields; result?: unknown; jsonrpc?: string };
}

export class CodexReplay {
  readonly bed: TestBed;
  readonly #server: Server;
  readonly #root: string;

  static async open(): Promise<CodexReplay> {
    const root = mkdtempSync(join(tmpdir(), 'holdpoint-replay-'));
    const replay = join(import.meta.dirname, '..', '..', 'support', 'replay-agent.mjs');
    mkdirSync(join(root, 'bin'));
    writeFileSync(join(root, 'bin', 'codex'), `#!/bin/sh\nexec "${process.execPath}" "${replay}" "$@"\n`, {
      mode: 0o755,
    });
    process.env.PATH = [join(root, 'bin'), process.env.PATH].join(delimiter);
    const server = await openServer();
    const bed = new TestBed(await server.url(), server.token);
    await bed.worker({ agents: [codex] });
    return new CodexReplay(server, bed, root);
  }

  private constructor(server: Server, bed: TestBed, root: string) {
    this.#server = server;
    this.bed = bed;
    this.#root = root;
  }

  /** Starts a run of a transcript as it was recorded, or as `change` alters it. */
  async start(name: string, input: object = {}, change?: (lines: Line[]) => Line[], as = name): Promise<RunView> {
    const file = join(transcripts, `${name}.jsonl`);
    process.env.TRANSCRIPT = change ? this.#changed(file, change, as) : file;
    const folder = join(this.#root, as);
    mkdirSync(folder);
    const session = await this.bed.api.sessions.create({ agent: 'codex', work_folder: folder });
    return this.bed.api.runs.start(session.session_id, {
      input: { text: `Do this: ${name}`, ...SETTINGS, ...input },
    });
  }

  #changed(file: string, change: (lines: Line[]) => Line[], as: string): string {
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const changed = change(lines.map((line) => JSON.parse(line) as Line));
    const to = join(this.#root, `${as}.jsonl`);
    writeFileSync(to, changed.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return to;
  }

  /** The next ask; fails at once when the run has ended without it. */
  next = (run: RunView): Promise<AskView> =>
    this.bed.until(async () => {
      const { items } = await this.bed.api.asks.list({ run_id: run.run_id, status: 'pending' });
      if (items[0]) return items[0];
      const { status, error, finished_at_ms } = await this.bed.api.runs.get(run.run_id);
      if (finished_at_ms !== undefined) throw new Error(`the run is ${status} without the ask: ${error}`);
      return undefined;
    });

  async close(): Promise<void> {
    await this.bed.close();
    await this.#server.close();
    rmSync(this.#root, { recursive: true, force: true });
  }
}

const SETTINGS = { sandbox: 'workspace-write', approval_policy: 'on-request' };
