// `holdpoint questions` as a process against a real server: list, show, answer from every source, and cancel; by whole and
// partial ids; and its errors.
// Covers: src/cli/ask-subcommands.ts, src/cli/json-input.ts, src/cli/run-wait.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/process.ts';
import { PATIENT, TARGET, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();

const answers = JSON.stringify([{ question_id: 'target', selected_option_ids: ['staging'] }]);
const statusOf = async (id: string) => (await bed.client.asks.get(id)).status;

describe('questions list', PATIENT, () => {
  it('lists what is pending, of one session or run, as text and as JSON', async () => {
    const one = await bed.work('list-one');
    const two = await bed.work('list-two');
    const first = await one.question('first', { expires_after_ms: 3_600_000 });
    const second = await two.question('second');
    const all = await bed.run(['questions', 'list']);
    expect(all).toMatchObject({ code: 0, stderr: '' });
    expect(all.stdout).toMatch(
      new RegExp(`^${first.ask_id}  .*(?:5\\d:\\d\\d|1h).*list-one.*Where to deploy\\?$`, 'm'),
    );
    expect(all.stdout).toContain(second.ask_id);
    const ofSession = await bed.run(['questions', 'list', '--session-id', 'list-two', '--json']);
    expect(JSON.parse(ofSession.stdout)).toEqual((await bed.client.questions.ofSession('list-two')).items);
    const ofRun = await bed.run(['questions', 'list', '--run-id', one.runId, '--json']);
    expect(JSON.parse(ofRun.stdout).map((q: { request: { id: string } }) => q.request.id)).toEqual([first.ask_id]);
    const nowhere = await bed.run(['questions', 'list', '--session-id', 'nowhere']);
    expect(nowhere).toMatchObject({ code: 3, stdout: '' });
    await bed.client.sessions.end('list-one');
    await bed.client.sessions.end('list-two');
  });

  it('lists one page with --limit, and names the cursor of the next', async () => {
    const work = await bed.work('paged');
    const ids = [(await work.question('1')).ask_id, (await work.question('2')).ask_id];
    const list = ['questions', 'list', '--session-id', 'paged', '--limit', '1', '--json'];
    const idsOf = (text: string) => JSON.parse(text).map((q: { request: { id: string } }) => q.request.id);
    const first = await bed.run(list);
    expect(idsOf(first.stdout)).toEqual([ids[0]]);
    const cursor = /--cursor (\S+)/.exec(first.stderr)?.[1] ?? '';
    const second = await bed.run([...list, '--cursor', cursor]);
    expect(idsOf(second.stdout)).toEqual([ids[1]]);
    await bed.client.sessions.end('paged');
  });

  it('reports on standard error that nothing is pending', async () => {
    expect(await bed.run(['questions', 'list'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'holdpoint: no question is pending\n',
    });
    expect((await bed.run(['questions', 'list', '--json'])).stdout).toBe('[]\n');
  });
});

describe('questions show', PATIENT, () => {
  it('finds a question by its whole id, a prefix or a suffix, and shows all of it', async () => {
    const { ask_id } = await (await bed.work()).question('show');
    for (const typed of [ask_id, ask_id.slice(0, -4), ask_id.slice(4, -4), ask_id.slice(-6)]) {
      const { code, stdout } = await bed.run(['questions', 'show', typed]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/Where to deploy\?\n\s+1\. Staging\n\s+2\. Production\n\s+customers see it/);
      expect(stdout).toContain(`questions answer ${ask_id} --answers-json '${answers}'`);
    }
    const { stdout } = await bed.run(['questions', 'show', ask_id, '--json']);
    expect(JSON.parse(stdout)).toEqual(await bed.client.asks.get(ask_id));
  });

  it('names the child run that asks its parent', async () => {
    await bed.client.sessions.create({ agent: 'external', session_id: 'parent' });
    const child = await bed.client.sessions.create({
      agent: 'external',
      session_id: 'child',
      parent_session_id: 'parent',
      project_ids: ['shop'],
      channel_ids: ['dev', 'ops'],
    });
    const { run_id } = await bed.client.runs.start(child.session_id, { input: { text: 'help' } });
    const { request_id } = await bed.client.asks.clarify(run_id, { tool_call_id: 'c', questions: [TARGET] });
    const { code, stdout } = await bed.run(['questions', 'show', request_id]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^asked by +\\S+ in session child, run ${run_id}, project shop, channel dev ops$`, 'm'),
    );
    const listed = await bed.run(['questions', 'list', '--session-id', 'parent']);
    expect(listed.stdout).toMatch(/Where to deploy\? {2}asked by \S+ in child$/m);
    const declined = await bed.run(['questions', 'cancel', request_id, '--justification', 'find out yourself']);
    expect(declined).toMatchObject({ code: 0, stdout: expect.stringMatching(/is completed/) });
    const { items } = await bed.client.mailbox.list('child');
    expect(items[0]?.payload).toMatchObject({ declined: true, justification: 'find out yourself' });
  });

  it('names the candidates of an ambiguous id, and takes a session or run to tell them apart', async () => {
    const one = await bed.work('amb-one');
    const two = await bed.work('amb-two');
    const a = await one.question('same-call');
    const b = await two.question('same-call', { questions: [{ ...TARGET, question: 'And the other?' }] });
    const typed = a.ask_id.slice(-8);
    const both = await bed.run(['questions', 'show', typed]);
    expect(both).toMatchObject({ code: 2, stdout: '' });
    expect(both.stderr).toContain(`"${typed}" is ambiguous: 2 pending questions match`);
    expect(both.stderr).toContain(`${a.ask_id}  Where to deploy?`);
    expect(both.stderr).toContain(`${b.ask_id}  And the other?`);
    const asJson = await bed.run(['questions', 'show', typed, '--json']);
    const candidates = [`${a.ask_id}  Where to deploy?`, `${b.ask_id}  And the other?`];
    expect(JSON.parse(asJson.stderr).error.advice).toEqual(candidates);
    const told = await bed.run(['questions', 'show', typed, '--session-id', 'amb-two', '--json']);
    expect(JSON.parse(told.stdout).ask_id).toBe(b.ask_id);
    const byRun = await bed.run(['questions', 'show', typed, '--run-id', one.runId, '--json']);
    expect(JSON.parse(byRun.stdout).ask_id).toBe(a.ask_id);
  });

  it.each([
    ['an id that is not there', ['ask_nothing_here'], 3, 'there is no pending question'],
    ['an id too short to mean anything', ['ab'], 2, 'at least 3 characters'],
  ])('refuses %s', async (_, typed, code, part) => {
    const ended = await bed.run(['questions', 'show', ...typed]);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(part);
  });

  it('reports that an id is an approval, and how to show it', async () => {
    const { ask_id } = await (await bed.work()).approval('not-a-question');
    const ended = await bed.run(['questions', 'show', ask_id]);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain(`approvals show ${ask_id}`);
  });
});

describe('questions answer', PATIENT, () => {
  it('answers from JSON, with the surface cli and the justification', async () => {
    const ask = await (await bed.work()).question('json');
    const args = [
      'questions',
      'answer',
      ask.ask_id.slice(-7),
      '--answers-json',
      answers,
      '--justification',
      'tried it',
    ];
    const ended = await bed.run([...args, '--json']);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ run_id: ask.run_id, status: 'running' });
    expect((await bed.client.asks.get(ask.ask_id)).answer).toMatchObject({
      outcome: 'answered',
      answers: [{ question_id: 'target', selected_option_ids: ['staging'] }],
      surface: 'cli',
      justification: 'tried it',
    });
  });

  it('answers from a file and from standard input', async () => {
    const work = await bed.work();
    const file = join(temporaryFolder(), 'answers.json');
    writeFileSync(file, answers);
    const byFile = await work.question('file');
    expect((await bed.run(['questions', 'answer', byFile.ask_id, '--answers-file', file])).code).toBe(0);
    const byInput = await work.question('stdin');
    const ended = await bed.run(['questions', 'answer', byInput.ask_id, '--answers-file', '-'], { input: answers });
    expect(ended).toMatchObject({ code: 0, stdout: `${work.runId} is running\n` });
    expect([await statusOf(byFile.ask_id), await statusOf(byInput.ask_id)]).toEqual(['answered', 'answered']);
  });

  it('declines a question', async () => {
    const ask = await (await bed.work()).question('declined');
    expect(
      (await bed.run(['questions', 'answer', ask.ask_id, '--declined', '--justification', 'you decide'])).code,
    ).toBe(0);
    expect((await bed.client.asks.get(ask.ask_id)).answer).toMatchObject({
      outcome: 'declined',
      justification: 'you decide',
    });
  });

  it('answers once under one key, and names who answered first to a later caller', async () => {
    const ask = await (await bed.work()).question('twice');
    const args = ['questions', 'answer', ask.ask_id, '--answers-json', answers, '--json'];
    const first = await bed.run([...args, '--idempotency-key', 'schlüssel-1']);
    const again = await bed.run([...args, '--idempotency-key', 'schlüssel-1']);
    expect(first.code).toBe(0);
    expect(again).toEqual(first);
    const other = await bed.run(['questions', 'answer', ask.ask_id, '--declined', '--json']);
    expect(other).toMatchObject({ code: 4, stdout: '' });
    expect(JSON.parse(other.stderr).error).toMatchObject({
      exit_code: 4,
      exit: 'conflict',
      code: 'question_state_conflict',
      winner: { answered_by: 'operator', surface: 'cli', outcome: 'answered' },
    });
    const inWords = await bed.run(['questions', 'answer', ask.ask_id, '--declined']);
    expect(inWords.stderr).toMatch(/^holdpoint: too late: answered by operator \(cli\) \d+s ago\n$/);
  });

  it('names who answered first to a later caller who types the end of the id, too', async () => {
    const ask = await (await bed.work()).question('raced');
    const short = ask.ask_id.slice(-6);
    expect((await bed.run(['questions', 'answer', short, 'staging'])).code).toBe(0);
    const late = await bed.run(['questions', 'answer', short, 'production']);
    expect(late).toMatchObject({ code: 4, stdout: '' });
    expect(late.stderr).toMatch(/^holdpoint: too late: answered by operator \(cli\) \d+s ago\n$/);
    expect(await bed.run(['questions', 'answer', short, 'staging'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('exits with 5 when the question has expired', async () => {
    const ask = await (await bed.work()).question('expired', { expires_after_ms: 1 });
    await expect.poll(() => statusOf(ask.ask_id)).toBe('expired');
    expect((await bed.run(['questions', 'answer', ask.ask_id, '--answers-json', answers])).code).toBe(5);
  });

  it('waits with --wait until the run has ended or asks again, and exits with its result', async () => {
    const work = await bed.work();
    const ask = await work.question('wait');
    const waiting = bed.start(['questions', 'answer', ask.ask_id, '--answers-json', answers, '--wait', '--json']);
    await bed.client.asks.wait(ask.ask_id, 60_000);
    const next = await work.question('wait-again');
    const ended = await waiting.ended;
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      status: 'waiting_for_user_question',
      pending_question_ids: [next.ask_id],
    });
    const failing = bed.start(['questions', 'answer', next.ask_id, '--answers-json', answers, '--wait', '--json']);
    await bed.client.asks.wait(next.ask_id, 60_000);
    await bed.client.runs.fail(work.runId, { error: 'out of disk' });
    expect(await failing.ended).toMatchObject({ code: 9, stdout: expect.stringContaining('out of disk') });
  });

  it.each([
    ['no way to answer', [], 'say how to answer'],
    ['two ways to answer', ['--declined', '--interactive'], 'exclude each other'],
    ['text that is no JSON', ['--answers-json', '{nope'], 'not valid JSON'],
    [
      'JSON of another shape',
      ['--answers-json', '[{"question_id":"target","option":"x"}]'],
      'has no field "option"; its fields are freeform_answer, question_id, selected_option_ids',
    ],
    ['a file that is not there', ['--answers-file', '/nowhere/answers.json'], '/nowhere/answers.json'],
    [
      'an option that does not exist',
      ['--answers-json', '[{"question_id":"target","selected_option_ids":["moon"]}]'],
      'moon',
    ],
    ['an unusable key', ['--declined', '--idempotency-key', 'a\nb'], 'control characters'],
  ])('refuses %s, and answers nothing', async (what, args, part) => {
    const ask = await (await bed.work()).question(`refused ${what}`);
    const ended = await bed.run(['questions', 'answer', ask.ask_id, ...args]);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(part);
    expect(await statusOf(ask.ask_id)).toBe('pending');
  });
});

describe('questions answer --interactive without a terminal', PATIENT, () => {
  it('reads lines, repeats after invalid input, then reads an optional text', async () => {
    const ask = await (await bed.work()).question('piped');
    const lines = ['moon', '1 2', 'PRODUCTION', 'at night', ''].join('\n');
    const ended = await bed.run(['questions', 'answer', ask.ask_id, '--interactive'], { input: lines });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('"moon" is not one of the options');
    expect(ended.stderr).toContain('Only one option may be selected.');
    expect((await bed.client.asks.get(ask.ask_id)).answer?.answers).toEqual([
      { question_id: 'target', selected_option_ids: ['production'], freeform_answer: 'at night' },
    ]);
  });

  it.each([
    ['before the choice', ''],
    ['after a wrong one', 'moon\n'],
    ['before the text', '1\n'],
  ])('answers nothing when the input ends %s', async (what, input) => {
    const ask = await (await bed.work()).question(`left ${what}`);
    const ended = await bed.run(['questions', 'answer', ask.ask_id, '--interactive'], { input });
    expect(ended).toMatchObject({ code: 8, stdout: '' });
    expect(ended.stderr).toContain('nothing was answered');
    expect(await statusOf(ask.ask_id)).toBe('pending');
  });
});

describe('questions cancel', PATIENT, () => {
  it('cancels the question and its run', async () => {
    const ask = await (await bed.work()).question('cancel');
    const ended = await bed.run([
      'questions',
      'cancel',
      ask.ask_id.slice(-9),
      '--justification',
      'not needed',
      '--json',
    ]);
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ run_id: ask.run_id, status: 'cancelled' });
    expect((await bed.client.asks.get(ask.ask_id)).answer).toMatchObject({
      outcome: 'cancelled',
      justification: 'not needed',
    });
    expect((await bed.run(['questions', 'cancel', ask.ask_id])).code).toBe(4);
  });

  it('takes a key only together with the run, and is then safe to repeat', async () => {
    const ask = await (await bed.work()).question('cancel-key');
    const refused = await bed.run(['questions', 'cancel', ask.ask_id, '--idempotency-key', 'k']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--run-id') });
    expect(await statusOf(ask.ask_id)).toBe('pending');
    const args = ['questions', 'cancel', ask.ask_id, '--run-id', ask.run_id, '--idempotency-key', 'k', '--json'];
    const first = await bed.run(args);
    expect(first.code).toBe(0);
    expect(await bed.run(args)).toEqual(first);
  });
});
