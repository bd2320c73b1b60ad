// The real OpenCode, where it behaves unexpectedly: a turn that is aborted with requests open, sub-agents, file changes,
// and "always". What an answer made of it is proven by the disk and by what the model was told.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskView, RunView } from '../../../src/core/views.ts';
import { opencode, opencodeVersion } from './binaries.ts';
import { OpencodeTestBed, PATCHING_MODEL } from './opencode-test-bed.ts';

const testBed = new OpencodeTestBed();
const DONE = [{ text: 'Done.' }];
const bash = (command: string, id: string) => ({ tool: 'bash', input: { command, description: 'd' }, id });
const write = (filePath: string, id: string) => ({ tool: 'write', input: { filePath, content: 'written' }, id });

/** Address and password of the OpenCode of a run, from its own process. */
function serverOf({ run_id }: RunView): { url: string; authorization: string } {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [environment, line] = ['environ', 'cmdline'].map((name) => textOf(join('/proc', pid, name)).split('\0'));
    const port = line?.[line.indexOf('--port') + 1];
    if (!environment?.includes(`HOLDPOINT_RUN_ID=${run_id}`) || !line?.[0]?.endsWith('opencode') || !port) continue;
    const password = environment.find((entry) => entry.startsWith('OPENCODE_SERVER_PASSWORD='))?.split('=')[1];
    const authorization = `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`;
    return { url: `http://127.0.0.1:${port}`, authorization };
  }
  throw new Error('no OpenCode of this run is running');
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

describe.skipIf(!opencode)(`OpenCode ${opencodeVersion}, hosted`, () => {
  beforeAll(() => testBed.open());
  afterAll(() => testBed.close());

  it('has every open request rejected when its turn is aborted, and a late allow changes nothing on disk', async () => {
    const { run, asks, over, has, folder } = await testBed.start('task-aborted', (at) => [
      [write(join(at, 'one.txt'), 'call_1'), write(join(at, 'two.txt'), 'call_2')],
      DONE,
    ]);
    const open = await asks(2);
    const { url, authorization } = serverOf(run);
    const at = (path: string) => `${url}${path}?directory=${encodeURIComponent(folder)}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const [asked] = (await (await fetch(at('/permission'), { headers })).json()) as [{ sessionID: string }];
    // The run may have ended OpenCode before it responds.
    await fetch(at(`/session/${asked.sessionID}/abort`), { method: 'POST', headers }).catch(() => {});
    for (const ask of open)
      await testBed.bed
        .decide(ask, { behavior: 'allow' })
        .catch((error) => expect(error).toMatchObject({ status: 409 }));
    expect(await over()).toMatchObject({ status: 'failed', error: 'Aborted' });
    for (const { ask_id } of open) {
      const { status, delivery } = await testBed.bed.api.asks.get(ask_id);
      expect([status === 'cancelled', delivery.state === 'undeliverable']).toContain(true);
    }
    expect([has('one.txt'), has('two.txt')]).toEqual([false, false]);
  });

  it('asks for its sub-agents under their name, and the reason of a denial reaches the sub-agent', async () => {
    testBed.model.play([[bash('touch sub.txt', 'call_sub')], DONE], 'look-for-the-bug');
    const task = { description: 'find it', prompt: 'look-for-the-bug', subagent_type: 'general' };
    const { asks, over, has } = await testBed.start('task-with-sub-agent', () => [
      [{ tool: 'task', input: task, id: 'call_task' }],
      DONE,
    ]);
    const [ask] = (await asks()) as [AskView];
    expect(ask.request.lineage).toEqual(['general: find it']);
    await testBed.bed.decide(ask, { behavior: 'deny', reason: 'not in this folder' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(has('sub.txt')).toBe(false);
    const child = testBed.model.told.filter((told) => told.includes('look-for-the-bug') && !told.includes('task-with'));
    expect(child.at(-1)).toContain('not in this folder');
  });

  it('shows a file change as a diff, and does not ask again for what is always allowed', async () => {
    const { asks, over, folder } = await testBed.start('task-always', (at) => [
      [write(join(at, 'one.txt'), 'call_1')],
      [bash('touch two.txt', 'call_2')],
      [bash('touch three.txt', 'call_3')],
      DONE,
    ]);
    const [change] = (await asks()) as [AskView];
    expect(change.request).toMatchObject({ tool_name: 'Edit', input: { file_path: join(folder, 'one.txt') } });
    expect(JSON.stringify(change.request)).toContain('+written');
    await testBed.bed.decide(change, { behavior: 'allow' });
    const [command] = (await asks()) as [AskView];
    await testBed.bed.decide(command, { behavior: 'allow', suggestion_ids: ['always'] });
    expect(await over()).toMatchObject({ status: 'completed', outputs: expect.anything() });
    expect(readdirSync(folder).sort()).toEqual(['one.txt', 'three.txt', 'two.txt']);
  });

  it('does not run what was denied when a call beside it is always allowed', async () => {
    const { asks, over, folder } = await testBed.start('task-denied-beside-always', () => [
      [bash('touch denied.txt', 'call_1'), bash('touch allowed.txt', 'call_2')],
      DONE,
    ]);
    const named = (name: string, open: AskView[]) => open.find((ask) => JSON.stringify(ask.request).includes(name));
    const open = await asks(2);
    await testBed.bed.decide(named('denied', open) as AskView, { behavior: 'deny', reason: 'not that one' });
    await testBed.bed.decide(named('allowed', open) as AskView, { behavior: 'allow', suggestion_ids: ['always'] });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(readdirSync(folder)).toEqual(['allowed.txt']);
  });

  it('names every file that a patch changes, so that a rule about one of them does not allow the others', async () => {
    const patch = (...files: string[]) => {
      const added = files.flatMap((file) => [`*** Add File: ${file}`, '+written']);
      return { patchText: ['*** Begin Patch', ...added, '*** End Patch'].join('\n') };
    };
    const { asks, over, folder } = await testBed.start(
      'task-patch',
      () => [
        [{ tool: 'apply_patch', input: patch('docs/one.txt', 'docs/two.txt'), id: 'call_1' }],
        [{ tool: 'apply_patch', input: patch('docs/three.txt', 'other.txt'), id: 'call_2' }],
        DONE,
      ],
      { model: `fake/${PATCHING_MODEL}` },
      [{ tool: 'Edit', action: 'allow', matches: { file_path: '*/docs/*' } }],
    );
    const [ask] = (await asks()) as [AskView];
    expect(ask.request).toMatchObject({
      tool_name: 'Edit',
      input: { files: [{ path: join(folder, 'docs/three.txt') }, { path: join(folder, 'other.txt') }] },
    });
    await testBed.bed.decide(ask, { behavior: 'deny', reason: 'only the docs' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(readdirSync(folder)).toEqual(['docs']);
    expect(readdirSync(join(folder, 'docs')).sort()).toEqual(['one.txt', 'two.txt']);
  });

  it('goes on when its conversation has become too long for the model, and is shortened', async () => {
    const error = { message: 'maximum context length exceeded', code: 'context_length_exceeded' };
    const { asks, over, has } = await testBed.start('task-too-long', () => [{ status: 400, error }]);
    // What is left of the conversation does not name the task.
    testBed.model.play([[bash('touch made', 'call_1')], DONE]);
    const [ask] = (await asks()) as [AskView];
    await testBed.bed.decide(ask, { behavior: 'allow' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(has('made')).toBe(true);
  });

  it('goes on after a question set without questions', async () => {
    const { over } = await testBed.start('task-asks-nothing', () => [
      [{ tool: 'question', input: { questions: [] }, id: 'call_1' }],
      DONE,
    ]);
    expect(await over()).toMatchObject({ status: 'completed' });
  });

  it('runs a later message in the same session', async () => {
    const { run, over } = await testBed.start('task-first', () => [[{ text: 'The word is quince.' }]]);
    expect(JSON.stringify((await over()).outputs)).toContain('The word is quince.');
    testBed.model.play([[{ text: 'Quince.' }]], 'task-second');
    const next = await testBed.bed.api.runs.start(run.session_id, { input: { text: 'Do this: task-second' } });
    expect(await testBed.bed.over(next.run_id)).toMatchObject({ status: 'completed' });
    expect(testBed.told('task-second')).toContain('The word is quince.');
  });
});
