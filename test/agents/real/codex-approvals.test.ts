// What the real Codex asks permission for, decided by a person: what the model was told, and what changed on disk.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalRequest, AskView } from '../../../src/core/views.ts';
import { codex, codexVersion } from './binaries.ts';
import { CodexTestBed, escalated, readIfThere } from './codex-test-bed.ts';

let c: CodexTestBed;
beforeAll(async () => {
  if (codex) c = await CodexTestBed.open(() => '[features]\nrequest_permissions_tool = true');
});
afterAll(async () => {
  if (!codex) return;
  expect(c.model.others).toEqual([]);
  await c.close();
});

const requestOf = (ask: AskView) => ask.request as ApprovalRequest;
const DONE = [{ text: 'Done.' }];
/** The model is told of each call in turn whether it was done. */
const toldOf = (key: string, ...results: ('done' | 'rejected')[]) => {
  const words = { done: /exited with code 0|Success/, rejected: /rejected by user/ };
  for (const [i, result] of results.entries())
    expect(c.model.resultOf(key, `call_${i + 1}`), `call ${i + 1} of ${key}`).toMatch(words[result]);
};
const numbered = <T extends object>(...calls: T[]) => calls.map((call, i) => [{ ...call, id: `call_${i + 1}` }]);
/** The work folders of these tests are temporary ones, which a sandbox may otherwise write to. */
const NO_TMP = { sandbox_workspace_write: { exclude_slash_tmp: true, exclude_tmpdir_env_var: true } };

describe.skipIf(!codex)(`Codex ${codexVersion} asks to run a command`, () => {
  it('and runs it once it is allowed', async () => {
    const folder = c.folder();
    const script = [[{ ...escalated('echo hi > a.txt', 'Need it'), id: 'call_A' }], [{ text: 'It is there.' }]];
    const run = await c.start('command-allowed', script, {}, folder);
    const ask = await c.asked(run);
    expect(requestOf(ask)).toMatchObject({
      tool_name: 'Bash',
      input: { command: 'echo hi > a.txt', cwd: folder },
      reason: 'Need it',
    });
    expect(ask.tool_call_id).toMatch(/^call_A@/);
    expect(readIfThere(folder, 'a.txt')).toBeUndefined();
    await c.bed.decide(ask, { behavior: 'allow' });
    const over = await c.over(run);
    expect(over).toMatchObject({ status: 'completed' });
    expect(readIfThere(folder, 'a.txt')).toBe('hi\n');
    expect(c.model.resultOf('command-allowed', 'call_A')).toContain('exited with code 0');
    expect(over.outputs.map(({ type, text }) => [type, text]).slice(1)).toEqual([
      ['tool_call', '$ echo hi > a.txt'],
      ['tool_result', '$ echo hi > a.txt: completed (exit 0)'],
      ['text', 'It is there.'],
    ]);
    expect((await c.bed.api.asks.get(ask.ask_id)).delivery.state).toBe('delivered');
  });

  it('and the model hears why it was denied', async () => {
    const folder = c.folder();
    const run = await c.start('command-denied', [[{ ...escalated('touch b.txt'), id: 'call_B' }], DONE], {}, folder);
    await c.bed.decide(await c.asked(run), { behavior: 'deny', reason: 'use git mv instead' });
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect(readIfThere(folder, 'b.txt')).toBeUndefined();
    expect(c.model.resultOf('command-denied', 'call_B')).toContain('rejected by user');
    expect(c.model.heard('command-denied')).toEqual([
      'Do this: command-denied',
      'The person said no: use git mv instead',
    ]);
  });

  it('and without a reason the model hears only that it was denied', async () => {
    const folder = c.folder();
    const run = await c.start('command-refused', [[{ ...escalated('touch c.txt'), id: 'call_C' }], DONE], {}, folder);
    await c.bed.decide(await c.asked(run), { behavior: 'deny' });
    await c.over(run);
    expect(existsSync(join(folder, 'c.txt'))).toBe(false);
    expect(c.model.resultOf('command-refused', 'call_C')).toContain('rejected by user');
    expect(c.model.heard('command-refused')).toEqual(['Do this: command-refused']);
  });

  it('for the session: the same command is not asked again, a wider one and one elsewhere are', async () => {
    const folder = c.folder();
    const same = escalated('date >> d.txt');
    const wider = escalated('date >> d.txt; touch e.txt');
    const elsewhere = { ...same, input: { ...same.input, workdir: c.folder() } };
    const script = [...numbered(same, same, wider, elsewhere), DONE];
    const run = await c.start('command-session', script, {}, folder);
    const ask = await c.asked(run);
    expect(requestOf(ask).suggestions).toMatchObject([{ id: 'session' }, { id: 'prefix' }]);
    await c.bed.decide(ask, { behavior: 'allow', suggestion_ids: ['session'] });
    const second = await c.asked(run);
    expect(requestOf(second).input).toMatchObject({ command: 'date >> d.txt; touch e.txt', cwd: folder });
    expect(readIfThere(folder, 'd.txt')?.trim().split('\n')).toHaveLength(2);
    await c.bed.decide(second, { behavior: 'deny' });
    const third = await c.asked(run);
    expect(requestOf(third).input).toMatchObject({ command: 'date >> d.txt', cwd: elsewhere.input.workdir });
    await c.bed.decide(third, { behavior: 'deny' });
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect(readIfThere(folder, 'e.txt')).toBeUndefined();
    expect(readIfThere(elsewhere.input.workdir, 'd.txt')).toBeUndefined();
    toldOf('command-session', 'done', 'done', 'rejected', 'rejected');
  });

  it('for commands that begin alike: they are not asked again, all others are', async () => {
    const folder = c.folder();
    const commands = ['touch p1.txt', 'touch p1.txt p2.txt', 'touch p3.txt', 'touch p1.txt; touch p4.txt'];
    const script = [...numbered(...commands.map((command) => escalated(command))), DONE];
    const run = await c.start('command-prefix', script, {}, folder);
    const ask = await c.asked(run);
    const [, prefix] = requestOf(ask).suggestions ?? [];
    const label = expect.stringContaining('commands that begin with: touch p1.txt (without the sandbox');
    expect(prefix).toEqual({ id: 'prefix', label, prefix: ['touch', 'p1.txt'] });
    await c.bed.decide(ask, { behavior: 'allow', suggestion_ids: ['prefix'] });
    for (const command of ['touch p3.txt', 'touch p1.txt; touch p4.txt']) {
      const other = await c.asked(run);
      expect(requestOf(other).input).toMatchObject({ command });
      await c.bed.decide(other, { behavior: 'deny' });
    }
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    const there = ['p1', 'p2', 'p3', 'p4'].map((name) => readIfThere(folder, `${name}.txt`) !== undefined);
    expect(there).toEqual([true, true, false, false]);
    toldOf('command-prefix', 'done', 'done', 'rejected', 'rejected');
  });

  it('as the person changed it: the model is told, and only exactly that runs unasked', async () => {
    const folder = c.folder();
    const commands = ['echo all > all.txt', 'echo some >> some.txt', 'echo some >> some.txt'];
    const script = [...numbered(...commands.map((command) => escalated(command))), DONE];
    const run = await c.start('command-changed', script, {}, folder);
    const ask = await c.asked(run);
    const updated_input = { ...requestOf(ask).input, command: 'echo some >> some.txt' };
    await c.bed.decide(ask, { behavior: 'allow', updated_input });
    const again = await c.asked(run);
    expect([readIfThere(folder, 'all.txt'), readIfThere(folder, 'some.txt')]).toEqual([undefined, 'some\n']);
    expect(c.model.heard('command-changed').at(-1)).toContain(
      'allowed this instead, exactly as it stands here: echo some >> some.txt',
    );
    await c.bed.decide(again, { behavior: 'deny' });
    await c.over(run);
    expect([readIfThere(folder, 'all.txt'), readIfThere(folder, 'some.txt')]).toEqual([undefined, 'some\n']);
    toldOf('command-changed', 'rejected', 'done', 'rejected');
  });

  it('several at once: all are shown at once, each gets its own answer', async () => {
    const folder = c.folder();
    const calls = ['g', 'h', 'i'].map((name) => ({ ...escalated(`echo ${name} > ${name}.txt`), id: `call_${name}` }));
    const run = await c.start('command-parallel', [calls, DONE], {}, folder);
    const asks = await c.asks(run, 3);
    const of = (name: string) => {
      const ask = asks.find(({ tool_call_id }) => tool_call_id.startsWith(`call_${name}@`));
      if (!ask) throw new Error(`no ask of ${name}`);
      expect(requestOf(ask).input).toMatchObject({ command: `echo ${name} > ${name}.txt` });
      return ask;
    };
    await c.bed.decide(of('h'), { behavior: 'allow' });
    await c.bed.until(async () => readIfThere(folder, 'h.txt'));
    expect(await c.asks(run, 2)).toHaveLength(2);
    await c.bed.decide(of('g'), { behavior: 'deny', reason: 'not g' });
    await c.bed.decide(of('i'), { behavior: 'allow' });
    await c.over(run);
    expect(['g', 'h', 'i'].map((name) => readIfThere(folder, `${name}.txt`))).toEqual([undefined, 'h\n', 'i\n']);
    const told = ['g', 'h', 'i'].map((name) => c.model.resultOf('command-parallel', `call_${name}`));
    expect(told).toEqual([
      expect.stringContaining('rejected by user'),
      expect.stringContaining('exited with code 0'),
      expect.stringContaining('exited with code 0'),
    ]);
    expect(c.model.heard('command-parallel').at(-1)).toBe('The person said no: not g');
  });

  it('or something else, and goes on without it when what it asked was taken back', async () => {
    const folder = c.folder();
    const asks = { call: 'ask_user', id: 'call_U', input: { questions: [{ question: 'Which colour?' }] } };
    const script = [[{ ...escalated('touch w.txt'), id: 'call_W' }], [asks], DONE];
    const run = await c.start('taken-back', script, {}, folder);
    for (const justification of ['not needed', 'nobody knows']) {
      const { ask_id } = await c.asked(run);
      await c.bed.api.asks.withdraw(ask_id, { justification });
      await c.bed.until(async () => (await c.bed.api.asks.get(ask_id)).status === 'cancelled' || undefined);
    }
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect(readIfThere(folder, 'w.txt')).toBeUndefined();
    expect(c.model.resultOf('taken-back', 'call_W')).toContain('rejected');
    expect(c.model.heard('taken-back').at(-1)).toContain('not needed');
    expect(c.model.resultOf('taken-back', 'call_U')).toContain('nobody knows');
  });

  it('and nothing runs when the run is cancelled meanwhile', async () => {
    const folder = c.folder();
    const run = await c.start('command-cancelled', [[escalated('touch j.txt')], DONE], {}, folder);
    const ask = await c.asked(run);
    await c.bed.api.runs.cancel(run.run_id, { reason: 'not today' });
    expect(await c.over(run)).toMatchObject({ status: 'cancelled' });
    const ended = await c.bed.api.asks.get(ask.ask_id);
    expect(ended).toMatchObject({ status: 'cancelled', answer: { behavior: 'deny', reason: 'not today' } });
    await expect(c.bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    await c.gone(run);
    expect(readIfThere(folder, 'j.txt')).toBeUndefined();
    expect(c.model.told('command-cancelled')).toHaveLength(1);
  });
});

describe.skipIf(!codex)(`Codex ${codexVersion} asks to change files`, () => {
  const PATCH =
    '*** Begin Patch\n*** Add File: new.txt\n+one\n+two\n*** Update File: old.txt\n@@\n-before\n+after\n*** Delete File: gone.txt\n*** End Patch\n';
  const settings = { model: 'gpt-5.5', sandbox: 'read-only' };
  const files = { 'old.txt': 'before\n', 'gone.txt': 'gone\n' };

  it('shows the change as a diff and makes it when it is allowed', async () => {
    const folder = c.folder(files);
    const run = await c.start('patch-allowed', [[{ patch: PATCH, id: 'call_P' }], DONE], settings, folder);
    const ask = await c.asked(run);
    const { tool_name, input, diff = '' } = requestOf(ask);
    expect(tool_name).toBe('apply_patch');
    expect(input.files).toMatchObject([{ change: 'delete' }, { change: 'add' }, { change: 'update' }]);
    expect(diff.split('\n')).toEqual([
      '--- a/gone.txt',
      '+++ /dev/null',
      '@@ -1,1 +0,0 @@',
      '-gone',
      '--- /dev/null',
      '+++ b/new.txt',
      '@@ -0,0 +1,2 @@',
      '+one',
      '+two',
      '--- a/old.txt',
      '+++ b/old.txt',
      '@@ -1 +1 @@',
      '-before',
      '+after',
    ]);
    expect(readIfThere(folder, 'old.txt')).toBe('before\n');
    await c.bed.decide(ask, { behavior: 'allow' });
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect(['new.txt', 'old.txt', 'gone.txt'].map((name) => readIfThere(folder, name))).toEqual([
      'one\ntwo\n',
      'after\n',
      undefined,
    ]);
    expect(c.model.resultOf('patch-allowed', 'call_P')).toContain('Success');
  });

  it('changes nothing when it is denied, and the model hears why', async () => {
    const folder = c.folder(files);
    const run = await c.start('patch-denied', [[{ patch: PATCH, id: 'call_Q' }], DONE], settings, folder);
    await c.bed.decide(await c.asked(run), { behavior: 'deny', reason: 'keep the old file' });
    await c.over(run);
    expect(['new.txt', 'old.txt', 'gone.txt'].map((name) => readIfThere(folder, name))).toEqual([
      undefined,
      'before\n',
      'gone\n',
    ]);
    expect(c.model.resultOf('patch-denied', 'call_Q')).toContain('rejected by user');
    expect(c.model.heard('patch-denied').at(-1)).toBe('The person said no: keep the old file');
  });

  it('for the session: the same file is not asked again, another one is', async () => {
    const folder = c.folder(files);
    const change = (file: string, from: string, to: string) => ({
      patch: `*** Begin Patch\n*** Update File: ${file}\n@@\n-${from}\n+${to}\n*** End Patch\n`,
    });
    const both = {
      patch: `${change('old.txt', 'now', 'later').patch.replace('*** End Patch\n', '')}*** Delete File: gone.txt\n*** End Patch\n`,
    };
    const changes = [change('old.txt', 'before', 'then'), change('old.txt', 'then', 'now'), both];
    const script = [...numbered(...changes), DONE];
    const run = await c.start('patch-session', script, settings, folder);
    await c.bed.decide(await c.asked(run), { behavior: 'allow', suggestion_ids: ['session'] });
    const wider = await c.asked(run);
    expect(requestOf(wider).input.files).toMatchObject([{ path: 'gone.txt' }, { path: 'old.txt' }]);
    expect(readIfThere(folder, 'old.txt')).toBe('now\n');
    await c.bed.decide(wider, { behavior: 'deny' });
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect([readIfThere(folder, 'old.txt'), readIfThere(folder, 'gone.txt')]).toEqual(['now\n', 'gone\n']);
    toldOf('patch-session', 'done', 'done', 'rejected');
  });
});

describe.skipIf(!codex)(`Codex ${codexVersion} asks for wider permissions`, () => {
  const wanted = (folder: string) => ({
    call: 'request_permissions',
    id: 'call_R',
    input: {
      reason: 'need the cache',
      permissions: { network: { enabled: true }, file_system: { write: [join(folder, 'cache')] } },
    },
  });

  const write = (file: string) => ({ call: 'exec_command', id: `call_${file}`, input: { cmd: `echo hi > ${file}/x` } });

  it('and has what was granted, for the session where that was said, and nothing wider', async () => {
    const folder = c.folder({ 'cache/keep': '', 'src/keep': '' });
    const script = [[wanted(folder)], [write('cache')], [write('src')], DONE];
    const run = await c.start('permissions-allowed', script, { sandbox: 'read-only', config: NO_TMP }, folder);
    const ask = await c.asked(run);
    expect(requestOf(ask)).toMatchObject({ tool_name: 'request_permissions', reason: 'need the cache' });
    expect(JSON.stringify(requestOf(ask).input)).toContain(join(folder, 'cache'));
    await c.bed.decide(ask, { behavior: 'allow', suggestion_ids: ['session'] });
    await c.over(run);
    const told = JSON.parse(c.model.resultOf('permissions-allowed', 'call_R') ?? '{}');
    expect(told).toMatchObject({ scope: 'session', permissions: { network: { enabled: true } } });
    expect(readIfThere(folder, 'cache', 'x')).toBe('hi\n');
    expect(readIfThere(folder, 'src', 'x')).toBeUndefined();
    expect(c.model.resultOf('permissions-allowed', 'call_cache')).toContain('exited with code 0');
    expect(c.model.resultOf('permissions-allowed', 'call_src')).toMatch(/Read-only file system|Permission denied/);
  });

  it('or what the person left of it', async () => {
    const folder = c.folder();
    const run = await c.start('permissions-some', [[wanted(folder)], DONE], { sandbox: 'read-only' }, folder);
    const ask = await c.asked(run);
    const { permissions } = requestOf(ask).input as { permissions: Record<string, unknown> };
    const updated_input = { ...requestOf(ask).input, permissions: { network: permissions.network } };
    await c.bed.decide(ask, { behavior: 'allow', updated_input });
    await c.over(run);
    const told = JSON.parse(c.model.resultOf('permissions-some', 'call_R') ?? '{}');
    expect(told).toMatchObject({ scope: 'turn', permissions: { network: { enabled: true }, file_system: null } });
  });

  it('or nothing', async () => {
    const folder = c.folder({ 'cache/keep': '' });
    const script = [[wanted(folder)], [write('cache')], DONE];
    const run = await c.start('permissions-denied', script, { sandbox: 'read-only', config: NO_TMP }, folder);
    await c.bed.decide(await c.asked(run), { behavior: 'deny', reason: 'no network here' });
    await c.over(run);
    const told = JSON.parse(c.model.resultOf('permissions-denied', 'call_R') ?? '{}');
    expect(told.permissions).toEqual({ network: null, file_system: null });
    expect(c.model.heard('permissions-denied').at(-1)).toBe('The person said no: no network here');
    expect(readIfThere(folder, 'cache', 'x')).toBeUndefined();
    expect(c.model.resultOf('permissions-denied', 'call_cache')).toMatch(/Read-only file system|Permission denied/);
  });
});
