// The real Claude Code against the scripted model, hosted by a worker in this process: what the tests of the `claude`
// agent need. Its home is a temporary folder; nothing of this machine's own settings is seen.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { claude } from '../../../src/agents/claude/agent.ts';
import type { AskView, RunView } from '../../../src/core/views.ts';
import { environmentOf, processesOf, processesWith } from '../../support/process-table.ts';
import { openServer, type Server } from '../../support/server.ts';
import { TestBed, type WorkerLike } from '../../support/test-bed.ts';
import { claude as binary } from './binaries.ts';
import { Model } from './model.ts';

type Fields = Record<string, unknown>;
interface Message {
  role: string;
  content: string | { type: string; text?: string; tool_use_id?: string; content?: unknown; is_error?: boolean }[];
}

/** What Claude Code is started with, and nothing else: no key, no network. */
export function claudeEnvironment(home: string, modelUrl: string): Record<string, string> {
  mkdirSync(join(home, '.claude'), { recursive: true });
  return {
    PATH: `${dirname(binary ?? '')}${delimiter}${process.env.PATH}`,
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'sk-ant-fake-000',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
}

/** One for a whole file of tests: opened before the first, gone after the last; no test makes the model hear what is not its script. */
export function testBedForAll(worker?: WorkerLike): ClaudeTestBed {
  const testBed = new ClaudeTestBed();
  beforeAll(() => testBed.open(worker));
  afterAll(() => testBed.close());
  afterEach(() => {
    expect(testBed.model.others).toEqual([]);
    delete process.env.TRANSCRIPT;
  });
  return testBed;
}

export class ClaudeTestBed {
  readonly root = mkdtempSync(join(tmpdir(), 'holdpoint-claude-'));
  server!: Server;
  bed!: TestBed;
  model!: Model;
  readonly #env = { ...process.env };
  #made = 0;

  static async open(worker?: WorkerLike): Promise<ClaudeTestBed> {
    const testBed = new ClaudeTestBed();
    await testBed.open(worker);
    return testBed;
  }

  async open(worker: WorkerLike = {}): Promise<void> {
    // A repository of its own: one around the temporary folders would bring settings along that are none of the test's.
    mkdirSync(join(this.root, '.git'));
    this.server = await openServer();
    this.bed = new TestBed(await this.server.url(), this.server.token);
    this.model = await Model.start();
    Object.assign(process.env, claudeEnvironment(join(this.root, 'home'), this.model.url));
    if (process.env.RECORD_TRANSCRIPTS) this.#standIn();
    await this.worker(worker);
  }

  worker = (like: WorkerLike = {}) => this.bed.worker({ agents: [claude], ...like });

  /** With RECORD_TRANSCRIPTS set, what is said in the next run is written to test/transcripts, under this name. */
  record(name: string): void {
    process.env.TRANSCRIPT = name;
  }

  #standIn(): void {
    const bin = join(this.root, 'bin');
    const recorder = join(import.meta.dirname, 'record-transcript.mjs');
    mkdirSync(bin);
    const script = `#!/bin/sh\n[ -n "$TRANSCRIPT" ] || exec "${binary}" "$@"\nexec "${process.execPath}" "${recorder}" "${binary}" "$@"\n`;
    writeFileSync(join(bin, 'claude'), script, { mode: 0o755 });
    process.env.PATH = `${bin}${delimiter}${process.env.PATH}`;
  }

  folder(): string {
    this.#made += 1;
    const folder = join(this.root, `w${this.#made}`);
    mkdirSync(folder);
    return folder;
  }

  /** A run in a folder of its own. */
  async start(input: Fields = {}, session: Fields = {}): Promise<RunView & { folder: string }> {
    const folder = this.folder();
    const made = await this.bed.api.sessions.create({ agent: 'claude', work_folder: folder, ...session });
    const run = await this.bed.api.runs.start(made.session_id, { input: { text: 'go', ...input } });
    return { ...run, folder };
  }

  /** The one open ask; fails at once when nothing is at work any more that could ask. */
  ask = ({ session_id }: RunView): Promise<AskView> =>
    this.bed.until(async () => {
      const { active_run_id, queued_run_ids } = await this.bed.api.sessions.get(session_id);
      const { items } = await this.bed.api.asks.list({ session_id, status: 'pending' });
      if (items.length === 1) return items[0];
      if (items.length > 0 || active_run_id !== undefined || queued_run_ids.length > 0) return undefined;
      throw new Error('nothing is asked, and nothing is at work in the session');
    });

  over = (run: RunView): Promise<RunView> => this.bed.over(run.run_id);
  files = (run: { folder: string }): string[] => readdirSync(run.folder).sort();

  /** When no process of the run is left: what it was held on, it is held on without one. */
  async released(run: RunView): Promise<void> {
    await this.bed.until(async () => (this.processes(run).length === 0 ? true : undefined));
  }

  /** The processes that work for a run, by the mark in their environment. */
  processes = (run: RunView): number[] => processesOf(run);

  /** When Claude Code has written something down in its own history, such as a call: it does so a moment after it was made. */
  async kept(text: string): Promise<void> {
    const projects = join(this.root, 'home', '.claude', 'projects');
    await this.bed.until(async () => {
      const files = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((file) =>
        /\.jsonl$/.test(file),
      );
      return files.some((file) => readFileSync(join(projects, file), 'utf8').includes(text)) || undefined;
    });
  }

  /** kill -9 of Claude Code itself, or another signal: what it had started, and who watches over it, is left alone. */
  kill(run: RunView, signal: NodeJS.Signals = 'SIGKILL'): void {
    const leader = this.processes(run).find((pid) => environmentOf(pid).includes(`HOLDPOINT_LEADER=${pid}`));
    if (leader === undefined) throw new Error('no process of Claude Code works for this run');
    process.kill(leader, signal);
  }

  /** What the model was told about a tool call, and whether as an error. */
  result(callId: string): { text: string; isError: boolean } | undefined {
    for (const told of this.model.told.toReversed())
      for (const { content } of (JSON.parse(told) as { messages: Message[] }).messages)
        for (const part of typeof content === 'string' ? [] : content)
          if (part.type === 'tool_result' && part.tool_use_id === callId)
            return { text: textOf(part.content), isError: part.is_error === true };
    return undefined;
  }

  /** The texts of the last message that people, or Holdpoint in their name, sent to the model. */
  lastTold(): string {
    const { messages } = JSON.parse(this.model.told.at(-1) ?? '{"messages":[]}') as { messages: Message[] };
    return JSON.stringify(messages.findLast((message) => message.role === 'user')?.content);
  }

  /** Fails when anything that was started here is still running. */
  async close(): Promise<void> {
    await this.bed.close();
    const left = () => processesWith(`ANTHROPIC_BASE_URL=${this.model.url}`).filter((pid) => pid !== process.pid);
    // What a worker leaves that was killed itself, its companion ends.
    for (let looks = 0; left().length > 0 && looks < 100; looks++) await sleep(100);
    const running = left();
    await this.server.close();
    this.model.close();
    process.env = this.#env;
    rmSync(this.root, { recursive: true, force: true });
    if (running.length > 0) throw new Error(`still running after the tests: ${running.join(', ')}`);
  }
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : (content as { text?: string }[]).map((part) => part.text ?? '').join('\n');
