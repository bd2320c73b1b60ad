// What commands write: safe for a terminal whatever agents send, fitted to it, coloured only where that is wanted.
// Covers: src/cli/ask-table.ts, src/cli/paging.ts, src/cli/commands/skills.ts
import { beforeAll, describe, expect, it } from 'vitest';
import { hasPty } from '../support/pty.ts';
import { PATIENT, testBedForAll } from './test-bed.ts';

const bed = testBedForAll();

const HOSTILE = 'x\u001b[2J\u001b]52;c;cm0=\u0007\u001b[8mhidden\u001b[0m\u202eevil\u200b\u0001\u009b31m\r\nend';
/** What acts on a terminal or hides text; line feeds do not. */
const ACTS = /(?![\n])\p{Cc}|[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

describe('hostile text of an agent', PATIENT, () => {
  const ids = { run: '', question: '', approval: '', large: '' };
  beforeAll(async () => {
    const work = await bed.work('hostile', { title: HOSTILE });
    await bed.client.runs.output(work.runId, { text: HOSTILE });
    const big = `${HOSTILE} `.repeat(15_000);
    const approval = await work.approval('h1', {
      tool_name: HOSTILE,
      input: { command: HOSTILE, [HOSTILE]: { deep: [HOSTILE] } },
      reason: HOSTILE,
      diff: `+${HOSTILE}`,
    });
    const large = await work.approval('h2', { input: { command: big.slice(0, 150_000), rest: big.slice(0, 150_000) } });
    const option = { id: 'o', label: HOSTILE, description: HOSTILE, preview: HOSTILE };
    const question = await work.question('h3', {
      questions: [{ question: HOSTILE, header: 'H\u001b[31m', options: [option] }],
    });
    Object.assign(ids, { run: work.runId, question: question.ask_id, approval: approval.ask_id, large: large.ask_id });
  });

  it.each([
    'questions list',
    'questions show $question',
    'approvals list',
    'approvals show $approval',
    'approvals show $large',
    'inbox',
    'sessions list',
    'sessions show hostile',
    'runs list',
    'runs show $run',
    'events --session-id hostile',
  ])('is sanitised on standard output as text and JSON by: %s', async (command) => {
    const args = command
      .split(' ')
      .map((word) => (word.startsWith('$') ? ids[word.slice(1) as keyof typeof ids] : word));
    const text = await bed.run(args);
    expect(text.code, text.stderr).toBe(0);
    expect(text.stdout.match(ACTS)).toBeNull();
    const json = await bed.run([...args, '--json']);
    expect(json.stdout.match(ACTS)).toBeNull();
    for (const line of args[0] === 'events' ? json.stdout.trimEnd().split('\n') : [json.stdout]) JSON.parse(line);
  });

  it('is sanitised on standard error by a command that is refused', async () => {
    const refused = await bed.run(['questions', 'answer', ids.question, '--interactive'], { input: `${HOSTILE}\n` });
    expect(refused.stderr.match(ACTS)).toBeNull();
  });

  it.skipIf(!hasPty)('is sanitised in the inbox (needs python3)', async () => {
    await bed.clear();
    const work = await bed.work('hostile-tty', { title: HOSTILE });
    await work.approval('h4', { tool_name: HOSTILE, input: { command: `${HOSTILE} && tail` }, reason: HOSTILE });
    const inbox = bed.terminal(['inbox'], { env: { NO_COLOR: '' } });
    await inbox.shows('tail');
    inbox.type('\r');
    await inbox.shows('esc back');
    inbox.type('dx');
    await inbox.shows('Reason (optional');
    inbox.type('\u001b');
    await inbox.shows('esc back');
    inbox.type('q');
    await inbox.shows('q quit');
    inbox.type('q');
    expect(await inbox.exited).toBe(0);
    // Our own sequences: colours, cursor, erasing, and the modes of a full screen.
    const own = new RegExp(`${'\u001b'}\\[(?:\\d+(?:;\\d+)*m|\\d+;\\d+H|K|2J|\\?(?:1049|25|7|2004)[hl])`, 'g');
    const rest = inbox.raw().replaceAll('\r\n', '\n').replace(own, '');
    expect(rest.match(ACTS)).toBeNull();
    expect(inbox.raw()).not.toContain('\u001b[8m');
  });
});

describe.skipIf(!hasPty)('lists in a terminal (needs python3)', PATIENT, () => {
  it('fit into 40 columns, with ids short enough to type', async () => {
    const work = await bed.work('narrow');
    const ask = await work.approval('narrow', { input: { command: `echo ${'long '.repeat(30)}` } });
    const list = bed.terminal(['approvals', 'list', '--session-id', 'narrow'], { columns: 40 });
    await list.shows('Show one:');
    expect(await list.exited).toBe(0);
    const rows = list.screen().filter(Boolean);
    expect(rows[0]).toMatch(/^\w{6} {2}\d+s/);
    expect(ask.ask_id.endsWith(rows[0]?.slice(0, 6) ?? '-')).toBe(true);
    expect(rows[1]).toMatch(/^ {2}Bash: echo long .*…$/);
    const show = bed.terminal(['approvals', 'show', rows[0]?.slice(0, 6) ?? ''], { columns: 40 });
    await show.shows('$ echo long');
    expect(await show.exited).toBe(0);
  });

  it('show what is asked beside a long name of its session', async () => {
    const session = `claude.${'0123456789'.repeat(4)}`;
    await (await bed.work(session)).approval('long');
    const list = bed.terminal(['approvals', 'list', '--session-id', session], { columns: 80 });
    await list.shows('Show one:');
    expect(list.screen().slice(0, 2)).toEqual([
      expect.stringMatching(new RegExp(`^\\w{6}  \\S+  \\w+  ${session}$`)),
      '  Bash: rm -rf build',
    ]);
    expect(await list.exited).toBe(0);
  });

  it('have colours, unless NO_COLOR is set', async () => {
    const ask = await (await bed.work()).approval('colours');
    const coloured = bed.terminal(['approvals', 'show', ask.ask_id], { env: { NO_COLOR: '' } });
    expect(await coloured.exited).toBe(0);
    expect(coloured.raw()).toContain('\u001b[1m\u001b[36mrm\u001b[39m\u001b[22m');
    const without = bed.terminal(['approvals', 'show', ask.ask_id]);
    expect(await without.exited).toBe(0);
    expect(without.raw()).not.toContain('\u001b[');
  });
});

describe('an empty list', PATIENT, () => {
  it.each([
    [['skills', 'list'], 'no skill is published'],
    [['skills', 'list', 'nosuch'], 'there is no such skill'],
    [['events', '--after', '999999999'], 'there are no such events'],
  ])('is reported as a sentence, not as a table without rows: %j', async (args, sentence) => {
    const ended = await bed.run(args);
    expect(ended).toEqual({ code: 0, stdout: '', stderr: `holdpoint: ${sentence}\n` });
  });
});
