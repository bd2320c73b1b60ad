// A server and a worker as processes of their own, on one port and one state folder, that can be killed and come back
// at any moment; and a program that writes down each of its beginnings and whether another one was still alive.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunView } from '../../../src/core/views.ts';
import { type Holdpoint, type Started, spawnHoldpoint, startHoldpoint } from '../../support/process.ts';
import { TestBed } from '../../support/test-bed.ts';

export const VICTIMS = ['server', 'worker', 'both', 'built-in'] as const;
export type Victim = (typeof VICTIMS)[number];

/** What lapses before a kill is no fault, but a slow machine must not lose everything over and over. */
const LEASE_MS = 5000;

/**
 * Asks once; with the answer it works for a moment and is done. `began` lists every beginning with its input. A process
 * that has ended and was not waited for yet is not alive.
 */
const PROGRAM = `
if [ -f began ]; then while read -r pid rest; do grep -qs '^State:.[^ZX]' /proc/$pid/status && echo "$pid" >> overlap; done < began; fi
echo "$$ $AGORA_INPUT_JSON" >> began
case $AGORA_INPUT_JSON in
  *'"answer"'*) sleep 0.15; exit 0 ;;
  *) sleep 0.05; printf '{"question":"Which colour?","partial_state":{"tried":["red"]}}' > draft
     mv draft .agora/needs_input.json; exit 7 ;;
esac`;

export interface Life {
  runs: RunView[];
  /** The input of each beginning, in order. */
  began: { pid: number; input: string }[];
  overlaps: string[];
  leftAlive: number[];
  deliveries: number;
  restarts: number;
}

export class KillTestBed {
  readonly victim: Victim;
  readonly folder = mkdtempSync(join(tmpdir(), 'holdpoint-bed-'));
  #server: Holdpoint;
  #worker: Started | undefined;
  #bed: TestBed;

  static async build(victim: Victim): Promise<KillTestBed> {
    const args = victim === 'built-in' ? [] : ['--no-worker'];
    const bed = new KillTestBed(victim, await startHoldpoint({ args, via: 'main' }));
    bed.#startWorker();
    return bed;
  }

  private constructor(victim: Victim, server: Holdpoint) {
    this.victim = victim;
    this.#server = server;
    this.#bed = new TestBed(server.url, server.token);
  }

  /** So many dispatches, one after the other begun, each answered as soon as it asks; and one kill among them. */
  async live(count: number, everyMs: number, killAtMs: number): Promise<Life[]> {
    const lives = Array.from({ length: count }, (_, i) => this.#one(i * everyMs));
    const [told] = await Promise.all([Promise.all(lives), this.#killAt(killAtMs)]);
    return told;
  }

  async #one(afterMs: number): Promise<Life> {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const folder = mkdtempSync(join(this.folder, 'w-'));
    writeFileSync(join(folder, 'program.sh'), PROGRAM);
    const { api } = this.#bed;
    const { session_id } = await api.sessions.create({ agent: 'exec', work_folder: folder });
    const run = await api.runs.start(session_id, { input: { command: ['sh', 'program.sh'], data: { a: 1 } } });
    const ask = await this.#bed.until(async () => (await this.#pending(run))?.[0]);
    await this.#bed.answer(ask, { question_id: 'question-1', freeform_answer: 'blue' });
    await this.#bed.carriedOn(run);
    return this.#told(run, folder);
  }

  async #pending(run: RunView) {
    const { items } = await this.#bed.api.asks.list({ session_id: run.session_id, status: 'pending' });
    return items.length > 0 ? items : undefined;
  }

  async #told(run: RunView, folder: string): Promise<Life> {
    const began = readFileSync(join(folder, 'began'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => ({ pid: Number.parseInt(line, 10), input: line.slice(line.indexOf(' ') + 1) }));
    const overlaps = readIfThere(join(folder, 'overlap')).split('\n').filter(Boolean);
    const runs = (await this.#bed.api.runs.list({ session_id: run.session_id })).items;
    const leftAlive = began
      .map((b) => b.pid)
      .filter((pid) => readIfThere(`/proc/${pid}/cmdline`).includes('program.sh'));
    const deliveries = (await this.#bed.events(run.session_id, 'ask.delivered')).length;
    return { runs, began, overlaps, leftAlive, deliveries, restarts: runs.filter((r) => r.resumes_run_id).length };
  }

  async #killAt(ms: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (this.victim !== 'server') await this.#worker?.end('SIGKILL');
    if (this.victim !== 'worker') await this.#restartServer();
    if (this.victim !== 'server') this.#startWorker();
  }

  async #restartServer(): Promise<void> {
    const { data, url } = this.#server;
    const worker = this.victim === 'built-in' ? [] : ['--no-worker'];
    await this.#server.end('SIGKILL');
    this.#server = await startHoldpoint({ data, via: 'main', args: [...worker, '--port', new URL(url).port] });
  }

  #startWorker(): void {
    if (this.victim === 'built-in') return;
    const args = ['--url', this.#server.url, '--token', this.#server.token, '--lease-ms', String(LEASE_MS)];
    this.#worker = spawnHoldpoint({ command: ['worker'], args, data: this.#server.data, via: 'main' });
    this.#worker.ready.catch(() => {});
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
