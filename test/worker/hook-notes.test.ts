// Notes of hooks that wait: one is there while its process lives, and what a killed hook had asked is ended once.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { HookCall } from '../../src/agents/agent.ts';
import { endAbandonedHooks, noteHook } from '../../src/worker/hook-notes.ts';
import { identityOf } from '../../src/worker/process-group.ts';

const CALL = { run_id: 'run_1', call_id: 'call_1' };

let data: string;
let ended: HookCall[];
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'holdpoint-hooks-'));
  ended = [];
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const notes = () => readdirSync(join(data, 'hooks'));
const end = async (call: HookCall) => {
  ended.push(call);
};
/** A note of a process that is gone: the identity of this one, as if it had begun at another time. */
function leaveNote(changes: object = {}): void {
  mkdirSync(join(data, 'hooks'), { recursive: true });
  const process = { ...identityOf(globalThis.process.pid), began: 'before', ...changes };
  writeFileSync(join(data, 'hooks', 'codex-gone.json'), JSON.stringify({ ...CALL, process }));
}

it('keeps the note of a hook whose process lives, until the hook removes it', async () => {
  const remove = noteHook(data, 'codex', CALL);
  expect(notes()).toHaveLength(1);
  expect(JSON.parse(readFileSync(join(data, 'hooks', notes()[0] ?? ''), 'utf8'))).toMatchObject(CALL);
  await endAbandonedHooks(data, 'codex', end);
  expect(ended).toEqual([]);
  await remove();
  expect(notes()).toEqual([]);
});

it('ends the ask of a killed hook once, and that of no other agent', async () => {
  leaveNote();
  await endAbandonedHooks(data, 'claude', end);
  expect(ended).toEqual([]);
  await endAbandonedHooks(data, 'codex', end);
  await endAbandonedHooks(data, 'codex', end);
  expect(ended).toEqual([CALL]);
  expect(notes()).toEqual([]);
});

it('tries again when the ask of a killed hook could not be ended', async () => {
  leaveNote();
  await endAbandonedHooks(data, 'codex', () => Promise.reject(new Error('the server is away')));
  expect(notes()).toHaveLength(1);
  await endAbandonedHooks(data, 'codex', end);
  expect(ended).toEqual([CALL]);
});

it('leaves the note of a process on another machine alone', async () => {
  leaveNote({ host: 'another-machine' });
  await endAbandonedHooks(data, 'codex', end);
  expect(ended).toEqual([]);
  expect(notes()).toHaveLength(1);
});

it('does nothing in a state folder without notes, and asks without one where it cannot be written', async () => {
  await endAbandonedHooks(data, 'codex', end);
  writeFileSync(join(data, 'hooks'), 'a file where the folder should be');
  await noteHook(data, 'codex', CALL)();
  expect(ended).toEqual([]);
});
