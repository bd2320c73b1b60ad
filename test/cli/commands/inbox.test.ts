// The command line in a real pseudo-terminal, read by a real terminal emulator: the inbox as a person lives in it, and
// questions answered line by line. Needs python3 for the pseudo-terminal; without it these tests are skipped by name.
// Covers: src/client/inbox-feed.ts
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startHoldpoint, temporaryFolder } from '../../support/process.ts';
import { hasPty, KEYS } from '../../support/pty.ts';
import { closeTestBeds, openTestBed, PATIENT, TARGET, type TestBed } from '../test-bed.ts';

let bed: TestBed;
beforeAll(async () => {
  if (hasPty) bed = await openTestBed();
});
afterEach(() => bed?.clear());
afterAll(closeTestBeds);

const answerOf = async (id: string) => (await bed.client.asks.get(id)).answer;
const statusOf = async (id: string) => (await bed.client.asks.get(id)).status;
/** A key right after the list moved by itself is not taken: a person looks first. */
const LONGER_THAN_JUST_MS = 400;
/** Alternate screen left, cursor shown, line wrap and paste as before. */
const LEFT_CLEAN = '\u001b[?2004l\u001b[?7h\u001b[0m\u001b[?25h\u001b[?1049l';

describe.skipIf(!hasPty)('the inbox in a terminal (needs python3)', PATIENT, () => {
  it('is live: asks come, are decided, settle elsewhere; q gives the terminal back', async () => {
    const work = await bed.work('live', { title: 'Nightly build' });
    const first = await work.approval('first');
    const inbox = bed.terminal(['inbox']);
    await inbox.shows(/^Holdpoint {2}1 waiting +● live\n.*Bash: rm -rf build +Nightly build\n[\s\S]*\$ rm -rf build/);
    expect(inbox.isAlternate()).toBe(true);

    inbox.type('a');
    await inbox.shows('allowed by operator (cli)');
    expect(await answerOf(first.ask_id)).toMatchObject({ behavior: 'allow', surface: 'cli' });

    const second = await work.approval('second', { input: { command: 'git push --force' } });
    await inbox.shows('$ git push --force');
    await sleep(LONGER_THAN_JUST_MS);
    inbox.type('d');
    await inbox.shows('Why not?');
    inbox.type(`not today${KEYS.enter}`);
    await inbox.shows('denied by operator (cli): not today');
    expect(await answerOf(second.ask_id)).toMatchObject({ behavior: 'deny', reason: 'not today' });

    const third = await work.question('third');
    await inbox.shows('Where to deploy?');
    const resolution = { request_id: third.ask_id, declined: true, justification: 'from elsewhere' };
    await bed.client.questions.answerRun(work.runId, { resolution });
    await inbox.shows('declined by operator (api): from elsewhere');

    inbox.type('q');
    expect(await inbox.exited).toBe(0);
    expect(inbox.isAlternate()).toBe(false);
    expect(inbox.raw()).toContain(LEFT_CLEAN);
  });

  it('answers a question by keys, with an own text', async () => {
    const ask = await (await bed.work()).question('keys');
    const inbox = bed.terminal(['inbox'], { columns: 40, rows: 20 });
    await inbox.shows('Where to deploy?');
    inbox.type(KEYS.enter);
    await inbox.shows('( ) 1. Staging');
    inbox.type('2o');
    await inbox.shows('Other:');
    inbox.type('at night');
    await inbox.shows('Other: at night');
    inbox.type(KEYS.enter);
    await inbox.shows('answered by operator');
    expect((await answerOf(ask.ask_id))?.answers).toEqual([
      { question_id: 'target', selected_option_ids: ['production'], freeform_answer: 'at night' },
    ]);
    inbox.type(KEYS.ctrlC);
    expect(await inbox.exited).toBe(0);
  });

  it('follows the size of the terminal', async () => {
    await (await bed.work('sized')).approval('sized', { input: { command: `echo ${'word '.repeat(30)}` } });
    const inbox = bed.terminal(['inbox'], { columns: 120, rows: 30 });
    await inbox.shows('Bash: echo');
    inbox.resize(40, 18);
    await inbox.shows(/^Holdpoint {2}1 waiting {14}● live\n›! +\S+ Bash: echo/);
    expect(inbox.screen().filter((row) => row.length > 40)).toEqual([]);
    inbox.resize(100, 24);
    await inbox.shows(/^Holdpoint {2}1 waiting {74}● live\n/);
    inbox.type('q');
    await inbox.exited;
  });

  it('writes only what changed', async () => {
    await (await bed.work('quiet')).approval('quiet');
    const inbox = bed.terminal(['inbox']);
    await inbox.shows('$ rm -rf build');
    const before = inbox.raw().length;
    inbox.type('/');
    await inbox.shows(/^\/$/m);
    // The row of the list counts the seconds; what it would do stays as it is.
    expect(inbox.raw().slice(before)).not.toContain('$ rm -rf build');
    inbox.type(`${KEYS.escape}`);
    await inbox.shows('a allow');
    inbox.type('q');
    await inbox.exited;
  });

  it('opens $EDITOR to change the input, shows the change, and allows that', async () => {
    const editor = join(temporaryFolder(), 'editor');
    writeFileSync(editor, '#!/bin/sh\nsed -i.bak "s/rm -rf build/rm -r build/" "$1"\necho edited >&2\n');
    chmodSync(editor, 0o755);
    const ask = await (await bed.work()).approval('edit', { input: { command: 'rm -rf build', why: 'clean' } });
    const inbox = bed.terminal(['inbox'], { env: { EDITOR: editor } });
    await inbox.shows('$ rm -rf build');
    inbox.type('e');
    await inbox.shows(/This would run:\n\$ rm -r build/);
    expect(await statusOf(ask.ask_id)).toBe('pending');
    inbox.type('a');
    await inbox.shows('allowed by operator');
    expect((await answerOf(ask.ask_id))?.updated_input).toEqual({ command: 'rm -r build', why: 'clean' });
    inbox.type('q');
    expect(await inbox.exited).toBe(0);
  });

  it('gives the terminal back when it is ended, and has answered nothing', async () => {
    const ask = await (await bed.work('ended')).approval('ended');
    const inbox = bed.terminal(['inbox']);
    await inbox.shows('$ rm -rf build');
    inbox.type('dno');
    await inbox.shows('Why not? (optional) no');
    await inbox.end();
    expect(inbox.raw()).toContain(LEFT_CLEAN);
    expect(await statusOf(ask.ask_id)).toBe('pending');
  });

  it('shows when the server has gone, and goes on when it is back', async () => {
    const own = await openTestBed();
    const inbox = own.terminal(['inbox']);
    await inbox.shows('Nothing waits for an answer.');
    const { url, data } = own.server;
    await own.server.end('SIGKILL');
    await inbox.shows('○ no server');
    await startHoldpoint({ data, args: ['--port', new URL(url).port] });
    await inbox.shows('● live');
    await (await own.work()).approval('after');
    await inbox.shows('$ rm -rf build');
    inbox.type('q');
    expect(await inbox.exited).toBe(0);
  });
});

describe.skipIf(!hasPty)('questions answer --interactive in a terminal (needs python3)', PATIENT, () => {
  it('asks question by question, again where the input is wrong, and does not show secrets', async () => {
    const ask = await (await bed.work()).question('dialogue', {
      questions: [
        { ...TARGET, multi_select: true },
        { id: 'key', question: 'The deploy key?', secret: true },
        { id: 'notes', question: 'Notes?', required: false },
      ],
    });
    const person = bed.terminal(['questions', 'answer', ask.ask_id, '--interactive'], { columns: 60 });
    await person.shows(/1 of 3 {2}several may be chosen\nWhere to deploy\?\n 1\. Staging\n 2\. Production/);
    await person.shows('Choose one or more');
    person.type(`moon${KEYS.enter}`);
    await person.shows('"moon" is none of the options');
    person.type(`2, staging${KEYS.enter}`);
    await person.shows('Anything to add (optional):');
    person.type(KEYS.enter);
    await person.shows('Your answer (not shown):');
    person.type(KEYS.enter);
    await person.shows('Some text is needed.');
    person.type(`s3cret${KEYS.enter}`);
    await person.shows('Notes?');
    person.type(KEYS.enter);
    expect(await person.exited).toBe(0);
    expect(person.raw()).not.toContain('s3cret');
    expect((await answerOf(ask.ask_id))?.answers).toEqual([
      { question_id: 'target', selected_option_ids: ['production', 'staging'] },
      { question_id: 'key', secret: true },
    ]);
  });

  it.each([
    ['Ctrl-C', KEYS.ctrlC],
    ['Ctrl-D', KEYS.ctrlD],
  ])('answers nothing on %s, and says so by its exit code', async (name, keys) => {
    const ask = await (await bed.work()).question(`left ${name}`);
    const person = bed.terminal(['questions', 'answer', ask.ask_id, '--interactive']);
    await person.shows('Choose one');
    person.type(`1${KEYS.enter}`);
    await person.shows('Anything to add');
    person.type(keys);
    expect(await person.exited).toBe(8);
    expect(person.raw()).toContain('nothing was answered');
    expect(await statusOf(ask.ask_id)).toBe('pending');
  });

  it('stops asking when somebody else answers', async () => {
    const work = await bed.work();
    const ask = await work.question('elsewhere');
    const person = bed.terminal(['questions', 'answer', ask.ask_id, '--interactive'], { columns: 130 });
    await person.shows('Choose one');
    await bed.client.questions.answerRun(work.runId, { resolution: { request_id: ask.ask_id, declined: true } });
    expect(await person.exited).toBe(4);
    expect(person.screen().join('\n')).toMatch(
      /^holdpoint: ask_\w+ is not open any more: declined by operator \(api\)/m,
    );
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

  it('have colours, unless NO_COLOR says otherwise', async () => {
    const ask = await (await bed.work()).approval('colours');
    const coloured = bed.terminal(['approvals', 'show', ask.ask_id], { env: { NO_COLOR: '' } });
    expect(await coloured.exited).toBe(0);
    expect(coloured.raw()).toContain('\u001b[1m\u001b[36mrm\u001b[39m\u001b[22m');
    const without = bed.terminal(['approvals', 'show', ask.ask_id]);
    expect(await without.exited).toBe(0);
    expect(without.raw()).not.toContain('\u001b[');
  });
});
