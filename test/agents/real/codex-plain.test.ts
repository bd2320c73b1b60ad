// `codex` as a person types it: it starts a daemon of its own, and Holdpoint attaches to that one. What is asked on the
// screen is asked here; the first answer wins, both sides settle.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endTerminals, hasPty } from '../../support/pty.ts';
import { codex, codexVersion } from './binaries.ts';
import { CodexDaemon } from './codex-daemon.ts';
import { codexTerminal, pressUntil } from './codex-terminal.ts';
import { escalated, readIfThere } from './codex-test-bed.ts';

let d: CodexDaemon;
beforeAll(async () => {
  if (!codex || !hasPty) return;
  d = await CodexDaemon.open((root) => `[projects."${root}"]\ntrust_level = "trusted"`, false);
});
afterAll(async () => {
  endTerminals();
  if (!codex || !hasPty) return;
  for (const pid of daemonPids()) process.kill(pid, 'SIGKILL');
  expect(d.model.others).toEqual([]);
  await d.close();
});

/** The daemon and the one that would keep it up to date, which stay when the terminal is closed. */
function daemonPids(): number[] {
  const folder = join(d.root, 'home', 'app-server-daemon');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.pid')) : [];
  return files.map((name) => JSON.parse(readIfThere(folder, name) ?? '{}').pid as number);
}

describe.skipIf(!codex || !hasPty)(`a plain Codex ${codexVersion} in a terminal`, () => {
  it('is answered here, and the next time with a key', async () => {
    const script = [
      [{ ...escalated('echo one > one.txt'), id: 'call_1' }],
      [escalated('echo two > two.txt')],
      [{ text: 'It is done now.' }],
    ];
    d.model.play('plain-terminal', script);
    const pty = codexTerminal(d.root, ['Do this: plain-terminal']);
    const asked = (command: string) =>
      d.bed.until(async () => {
        const { items } = await d.bed.api.asks.list({ status: 'pending' });
        return items.find(({ request }) => JSON.stringify(request).includes(command));
      });
    await pty.shows('Would you like');
    const here = await asked('one.txt');
    expect(here.request).toMatchObject({ tool_name: 'Bash', input: { command: 'echo one > one.txt', cwd: d.root } });
    await d.bed.decide(here, { behavior: 'allow' });
    const there = await asked('two.txt');
    expect(readIfThere(d.root, 'one.txt')).toBe('one\n');
    expect(d.model.resultOf('plain-terminal', 'call_1')).toContain('exited with code 0');
    await pty.shows('$ echo two > two.txt');
    await pressUntil(pty, 'y', 'It is done now.');
    expect(await d.ended(there)).toMatchObject({ status: 'cancelled', answer: { reason: 'withdrawn' } });
    expect(readIfThere(d.root, 'two.txt')).toBe('two\n');
    expect(await d.bed.over(here.run_id)).toMatchObject({ status: 'completed' });
    await pty.end();
  });
});
