// A person at the terminal of their own Claude Code, connected to a Holdpoint of its own: what the tests of the attached
// agent need beside the testBed. With RECORD_TRANSCRIPTS set, what its hooks say and are told goes to test/transcripts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import { type Holdpoint, spawnHoldpoint, startHoldpoint } from '../../support/process.ts';
import { openPty, type Pty } from '../../support/pty.ts';
import { TestBed } from '../../support/test-bed.ts';
import { claude } from './binaries.ts';
import type { ClaudeTestBed } from './claude-test-bed.ts';
import { HookRecorder } from './hook-recorder.ts';

export class ClaudeTerminal {
  readonly #testBed: ClaudeTestBed;
  readonly #recorder: HookRecorder | undefined;
  server: Holdpoint;
  bed: TestBed;

  /** `through`: the address that its hooks call instead of the server's own. */
  static async open(
    testBed: ClaudeTestBed,
    { env, through }: { env?: Record<string, string>; through?: string } = {},
  ): Promise<ClaudeTerminal> {
    const server = await startHoldpoint({ via: 'main', ...(env && { env }) });
    const recorder = process.env.RECORD_TRANSCRIPTS ? await HookRecorder.start(server.url) : undefined;
    const opened = new ClaudeTerminal(testBed, server, recorder);
    await opened.holdpoint('connect', 'claude', '--yes');
    const settings = join(testBed.root, 'home', '.claude', 'settings.json');
    const called = recorder?.url ?? through;
    if (called) writeFileSync(settings, readFileSync(settings, 'utf8').replaceAll(server.url, called));
    return opened;
  }

  private constructor(testBed: ClaudeTestBed, server: Holdpoint, recorder: HookRecorder | undefined) {
    this.#testBed = testBed;
    this.#recorder = recorder;
    this.server = server;
    this.bed = new TestBed(server.url, server.token);
  }

  async holdpoint(...command: string[]): Promise<string> {
    const env = { HOLDPOINT_URL: this.server.url, HOLDPOINT_TOKEN: this.server.token };
    const ended = spawnHoldpoint({ command, env, data: this.server.data, via: 'main' });
    expect(await ended.exited, ended.stderr()).toEqual({ code: 0, signal: null });
    return ended.stdout();
  }

  /** The plug is pulled, and put in again: the same folder, the same address. */
  async restart(): Promise<void> {
    const { data, url } = this.server;
    await this.server.end('SIGKILL');
    this.server = await startHoldpoint({ via: 'main', data, env: { HOLDPOINT_PORT: new URL(url).port } });
    this.bed = new TestBed(this.server.url, this.server.token);
  }

  /** Claude Code in a folder that it trusts. What its hooks say is recorded under the name. */
  start(prompt: string, transcript?: string): { terminal: Pty; folder: string } {
    const folder = this.#testBed.folder();
    const home = join(this.#testBed.root, 'home');
    const config = join(home, '.claude', '.claude.json');
    const known = existsSync(config) ? JSON.parse(readFileSync(config, 'utf8')) : {};
    const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
    const settings = {
      ...known,
      hasCompletedOnboarding: true,
      theme: 'dark',
      numStartups: 5,
      customApiKeyResponses: { approved: ['sk-ant-fake-000'.slice(-20)], rejected: [] },
      projects: { ...known.projects, [folder]: trusted },
    };
    mkdirSync(join(config, '..'), { recursive: true });
    writeFileSync(config, JSON.stringify(settings));
    const names = {
      [folder]: '{{folder}}',
      [folder.replaceAll('/', '-')]: '{{project}}',
      [home]: '{{home}}',
      [tmpdir()]: '{{temp}}',
    };
    this.#recorder?.begin(transcript, names);
    const command = [claude ?? 'claude', '--permission-mode', 'manual', prompt];
    return { terminal: openPty({ command, env: process.env, columns: 120, rows: 40, cwd: folder }), folder };
  }

  /** The oldest ask that waits. */
  pending = (isWanted: (ask: AskView) => boolean = () => true): Promise<AskView> =>
    this.bed.until(async () => (await this.bed.api.asks.list({ status: 'pending' })).items.find(isWanted));

  ended = (ask: AskView): Promise<AskView> =>
    this.bed.until(async () => {
      const now = await this.bed.api.asks.get(ask.ask_id);
      return now.answer ? now : undefined;
    });

  close(): void {
    this.#recorder?.close();
  }
}
