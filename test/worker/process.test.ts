// Programs with which a worker exchanges lines: every line arrives whole, and no process of them is left.
// Covers: src/worker/process-group.ts
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ProcessIdentity } from '../../src/agents/agent.ts';
import { processes } from '../../src/worker/process.ts';

const MARK = 'TALK_TEST=1';

function talk(script: string, lines: string[], more: { signal?: AbortSignal; onStart?: () => Promise<void> } = {}) {
  let identity: ProcessIdentity | undefined;
  const started = processes.start({
    argv: ['sh', '-c', script],
    folder: tmpdir(),
    env: { PATH: process.env.PATH ?? '', TALK_TEST: '1' },
    mark: MARK,
    signal: more.signal ?? new AbortController().signal,
    onLine: (line) => void lines.push(line),
    onStart: async (process) => {
      identity = process;
      await more.onStart?.();
    },
  });
  return { started, alive: () => identity !== undefined && processes.isAlive(identity), identity: () => identity };
}

describe('a program with line input and output', () => {
  it('receives and sends whole lines, also those that arrive in pieces', async () => {
    const lines: string[] = [];
    const { started } = talk(`printf 'o'; sleep 0.05; printf 'ne\\ntwo\\nü'; cat; echo gone`, lines);
    const program = await started;
    program.send('{"a":1}');
    program.closeInput();
    const exit = await program.ended;
    expect(exit).toMatchObject({ exitCode: 0, timedOut: false });
    expect(lines).toEqual(['one', 'two', 'ü{"a":1}', 'gone']);
    program.send('nobody listens');
  });

  it('starts only after its identity was stored', async () => {
    const lines: string[] = [];
    const seen: string[][] = [];
    const { started } = talk('echo begun', lines, {
      onStart: async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        seen.push([...lines]);
      },
    });
    await (await started).ended;
    expect([seen, lines]).toEqual([[[]], ['begun']]);
  });

  it('never starts when its identity could not be stored', async () => {
    const lines: string[] = [];
    const { started, identity } = talk('echo begun', lines, { onStart: () => Promise.reject(new Error('disk full')) });
    await expect(started).rejects.toThrow('disk full');
    await expect.poll(() => identityAlive(identity())).toBe(false);
    expect(lines).toEqual([]);
  });

  it('ends with all its child processes when it is stopped, whatever signals they ignore', async () => {
    const stop = new AbortController();
    const { started, alive } = talk(`trap '' TERM; sleep 300 & echo up; wait; sleep 300`, [], { signal: stop.signal });
    const program = await started;
    expect(alive()).toBe(true);
    stop.abort();
    expect((await program.ended).exitCode).toBeGreaterThan(128);
    expect(alive()).toBe(false);
    expect(leftWithMark()).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'ends child processes in a session of their own, and no other process',
    async () => {
      const lines: string[] = [];
      const { started, identity } = talk('setsid sh -c "echo up; exec sleep 300" & wait', lines);
      const other = await talk('cat', []).started;
      const program = await started;
      await expect.poll(() => lines).toEqual(['up']);
      process.kill(identity()?.pid as number, 'SIGKILL');
      expect((await program.ended).signal).toBe('SIGKILL');
      expect(leftWithMark().length).toBeGreaterThan(0);
      other.closeInput();
      expect(await other.ended).toMatchObject({ exitCode: 0 });
      expect(leftWithMark()).toEqual([]);
    },
  );

  it('ends when its worker dies in any way', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-talk-'));
    const file = join(folder, 'up');
    const worker = spawn(process.execPath, ['--input-type=module', '-e', workerWith(file)], { stdio: 'ignore' });
    await expect.poll(() => existsSync(file)).toBe(true);
    expect(leftWithMark('TALK_TEST=orphan').length).toBeGreaterThanOrEqual(3);
    worker.kill('SIGKILL');
    await expect.poll(() => leftWithMark('TALK_TEST=orphan'), { timeout: 10_000 }).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

const workerWith = (file: string) => `
import { processes } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../src/worker/process.ts')).href)};
await processes.start({
  argv: ['sh', '-c', 'sleep 300 & setsid sleep 300 & touch ${file}; wait'],
  folder: '/', env: { PATH: process.env.PATH, TALK_TEST: 'orphan' }, mark: 'TALK_TEST=orphan',
  signal: new AbortController().signal, onLine: () => {}, onStart: async () => {},
});
setInterval(() => {}, 1000);`;

const identityAlive = (identity: ProcessIdentity | undefined) => identity !== undefined && processes.isAlive(identity);

function leftWithMark(mark = MARK): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(mark));
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
