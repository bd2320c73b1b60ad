// Hosts a real agent against its scripted model: a server and a worker inside the test, and a temporary folder for the agent's
// home and its work. What is particular about an agent is in the test bed of that agent.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AskView, RunView } from '../../../src/core/views.ts';
import type { HostedAgent } from '../../../src/worker/host.ts';
import { nothingLeftIn, processesOf } from '../../support/process-table.ts';
import { openServer, type Server } from '../../support/server.ts';
import { TestBed } from '../../support/test-bed.ts';
import type { ScriptedServer } from './scripted-server.ts';

export class HostedTestBed<Model extends ScriptedServer> {
  readonly root: string;
  readonly #env = { ...process.env };
  server!: Server;
  bed!: TestBed;
  model!: Model;
  #made = 0;

  constructor(agent: string) {
    this.root = mkdtempSync(join(tmpdir(), `holdpoint-${agent}-`));
  }

  /** `env`: what the worker, and the programs that it starts, see besides. */
  protected async host(agent: HostedAgent, model: Model, env: Record<string, string>): Promise<void> {
    this.model = model;
    Object.assign(process.env, env);
    this.server = await openServer();
    this.bed = new TestBed(await this.server.url(), this.server.token);
    await this.bed.worker({ agents: [agent] });
  }

  folder(files: Record<string, string> = {}): string {
    this.#made += 1;
    const folder = join(this.root, `work-${this.#made}`);
    mkdirSync(folder);
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    return folder;
  }

  /** So many open asks; fails at once when the run has ended without them. */
  asks(run: RunView, count: number): Promise<AskView[]> {
    return this.bed.until(async () => {
      const { items } = await this.bed.api.asks.list({ run_id: run.run_id, status: 'pending' });
      if (items.length === count) return items;
      const now = await this.bed.api.runs.get(run.run_id);
      if (now.finished_at_ms === undefined) return undefined;
      throw new Error(
        `the run is ${now.status} with ${items.length} open asks: ${now.error ?? JSON.stringify(now.outputs.at(-1))}`,
      );
    });
  }

  over = (run: RunView): Promise<RunView> => this.bed.over(run.run_id);

  /** Waits until no process of this run is left. */
  gone = (run: RunView): Promise<unknown> =>
    this.bed.until(async () => (processesOf(run).length === 0 ? true : undefined));

  /** Resolves when nothing that was started here is left running. */
  async close(): Promise<void> {
    await this.bed.close();
    await this.server.close();
    this.model.close();
    await nothingLeftIn(this.root);
    process.env = this.#env;
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}
