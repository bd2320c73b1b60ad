// A server and a worker with the exec agent inside the test, and workspaces in temporary folders: what a dispatch needs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claude } from '../../../src/agents/claude/agent.ts';
import { exec } from '../../../src/agents/exec/agent.ts';
import type { AskView, RunView } from '../../../src/core/views.ts';
import { openServer, type Server } from '../../support/server.ts';
import { TestBed, type WorkerLike } from '../../support/test-bed.ts';

export type Fields = Record<string, unknown>;

export interface ExitRecord {
  exit_code: number;
  signal?: string;
  timed_out: boolean;
  stdout: string;
  stderr: string;
}

export class ExecTestBed {
  readonly server: Server;
  readonly bed: TestBed;
  readonly #root = mkdtempSync(join(tmpdir(), 'holdpoint-exec-'));
  #made = 0;

  static async open(worker: WorkerLike = {}): Promise<ExecTestBed> {
    const server = await openServer();
    const bed = new TestBed(await server.url(), server.token);
    if (worker.concurrency !== 0) await bed.worker({ agents: [exec, claude], ...worker });
    return new ExecTestBed(server, bed);
  }

  private constructor(server: Server, bed: TestBed) {
    this.server = server;
    this.bed = bed;
  }

  /** A folder of its own, with these files in it. */
  workspace(files: Record<string, string> = {}): string {
    this.#made += 1;
    const folder = join(this.#root, `w${this.#made}`);
    mkdirSync(folder);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return folder;
  }

  async start(folder: string | undefined, input: Fields): Promise<RunView> {
    const session = await this.bed.api.sessions.create({ agent: 'exec', ...(folder && { work_folder: folder }) });
    return this.bed.api.runs.start(session.session_id, { input });
  }

  sh(folder: string, script: string, more: Fields = {}): Promise<RunView> {
    return this.start(folder, { command: ['sh', '-c', script], ...more });
  }

  /** The run when it has ended, or stopped to ask. */
  paused(run: RunView): Promise<RunView> {
    return this.bed.until(async () => {
      const now = await this.bed.api.runs.get(run.run_id);
      return now.finished_at_ms !== undefined || now.status.startsWith('waiting') ? now : undefined;
    });
  }

  over = (run: RunView): Promise<RunView> => this.bed.over(run.run_id);

  async question(run: RunView): Promise<AskView> {
    const [ask] = await this.bed.pending(run.session_id);
    if (!ask) throw new Error('nothing is pending');
    return ask;
  }

  /** Answers in words; returns the run that carries on. */
  answer(ask: AskView, text: string): Promise<RunView> {
    return this.bed.answer(ask, { question_id: 'question-1', freeform_answer: text });
  }

  runsOf = async (sessionId: string): Promise<RunView[]> =>
    (await this.bed.api.runs.list({ session_id: sessionId })).items;

  async close(): Promise<void> {
    await this.bed.close();
    await this.server.close();
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/** What was recorded about how the program ended. */
export function exitOf(run: RunView): ExitRecord | undefined {
  return run.outputs.findLast((output) => output.type === 'exit')?.data as ExitRecord | undefined;
}

/** Shell that writes the sentinel as a program should. */
export const asks = (payload: object): string =>
  `cat > .agora/needs_input.json <<'END'\n${JSON.stringify(payload)}\nEND\n`;
