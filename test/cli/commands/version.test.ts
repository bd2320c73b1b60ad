// Small commands and flags that people try first: the version in all its spellings, plain answers, fields, ids for completion.
// Covers: src/cli/version.ts, src/cli/plain-answer.ts, src/cli/text/field-choice.ts, src/cli/commands/complete.ts
import { expect, it } from 'vitest';
import { version } from '../../../src/cli/version.ts';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();

it('prints its version by a command and by both flags', PATIENT, async () => {
  expect((await bed.run(['version'])).stdout).toContain(`holdpoint ${version}, Node ${process.versions.node}`);
  for (const flag of ['-v', '-V', '--version']) expect((await bed.run([flag])).stdout).toBe(`${version}\n`);
});

it('takes a plain answer, and refuses one that names no option', PATIENT, async () => {
  const work = await bed.work('plain');
  const { ask_id } = await work.question('one');
  const wrong = await bed.run(['questions', 'answer', ask_id, 'stagin']);
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/"stagin" is not one[\s\S]*1 {2}Staging[\s\S]*--text/),
  });
  expect((await bed.run(['questions', 'answer', ask_id, 'staging', '--declined'])).code).toBe(2);
  expect((await bed.run(['questions', 'answer', ask_id])).code).toBe(2);
  expect((await bed.run(['questions', 'answer', ask_id, 'staging'])).code).toBe(0);
  expect((await bed.client.asks.get(ask_id)).answer).toMatchObject({
    answers: [{ question_id: 'target', selected_option_ids: ['staging'] }],
  });
  const text = await work.question('two', { questions: [{ id: 'why', question: 'Why?' }] });
  expect((await bed.run(['questions', 'answer', text.ask_id, 'because', 'of', 'it'])).code).toBe(0);
  expect((await bed.client.asks.get(text.ask_id)).answer).toMatchObject({
    answers: [{ freeform_answer: 'because of it' }],
  });
  const own = await work.question('three');
  expect((await bed.run(['questions', 'answer', own.ask_id, '--text', 'neither'])).code).toBe(0);
});

it('prints the fields that were named, and says which there are', PATIENT, async () => {
  const { approval, runId } = await bed.work('fields');
  const { ask_id } = await approval('one');
  const picked = await bed.run([
    'approvals',
    'list',
    '--session-id',
    'fields',
    '--fields',
    'run_id,request.input.command',
  ]);
  expect(JSON.parse(picked.stdout)).toEqual([{ run_id: runId, 'request.input.command': 'rm -rf build' }]);
  const shown = await bed.run(['approvals', 'show', '--fields', 'ask_id', ask_id]);
  expect(JSON.parse(shown.stdout)).toEqual({ ask_id });
  const wrong = await bed.run(['approvals', 'show', ask_id, '--fields', 'askid']);
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('ask_id, ') });
});

it('lists ids for a shell, and nothing at all without a server', PATIENT, async () => {
  const { approval, runId } = await bed.work('ids');
  const { ask_id } = await approval('one');
  expect((await bed.run(['complete', 'approvals'])).stdout.split('\n')).toContain(ask_id);
  expect((await bed.run(['complete', 'runs'])).stdout.split('\n')).toContain(runId);
  expect((await bed.run(['complete', 'sessions'])).stdout.split('\n')).toContain('ids');
  const gone = await bed.run(['complete', 'questions', '--url', 'http://127.0.0.1:9']);
  expect(gone).toEqual({ code: 0, stdout: '', stderr: '' });
});

it('lists the newest sessions and runs first, as many as are wanted', PATIENT, async () => {
  for (const name of ['first', 'second', 'third']) await bed.work(name);
  const names = async (...args: string[]) =>
    (JSON.parse((await bed.run([...args, '--limit', '2', '--json'])).stdout) as { session_id: string }[]).map(
      (one) => one.session_id,
    );
  expect(await names('sessions', 'list')).toEqual(['third', 'second']);
  expect(await names('runs', 'list')).toEqual(['third', 'second']);
});
