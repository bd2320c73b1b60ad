// `holdpoint inbox` in a real pseudo-terminal, read by a terminal emulator. Needs python3 for the pseudo-terminal; without
// it these tests are skipped by name.
// Covers: src/client/inbox-feed.ts
// Covers: src/cli/inbox/screen.ts, src/cli/prompt/editor.ts
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startHoldpoint, temporaryFolder } from '../../support/process.ts';
import { hasPty, KEYS } from '../../support/pty.ts';
import { closeProxies, openProxy } from '../proxy.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed } from '../test-bed.ts';

let bed: TestBed;
beforeAll(async () => {
  if (hasPty) bed = await openTestBed();
});
afterEach(() => bed?.clear());
afterAll(async () => {
  closeProxies();
  await closeTestBeds();
});

const answerOf = async (id: string) => (await bed.client.asks.get(id)).answer;
const statusOf = async (id: string) => (await bed.client.asks.get(id)).status;
/** Keys are ignored just after the list has moved by itself. */
const LONGER_THAN_JUST_MS = 400;
/** Leaves the alternate screen, shows the cursor, restores line wrap and paste. */
const LEFT_CLEAN = '\u001b[?2004l\u001b[?7h\u001b[0m\u001b[?25h\u001b[?1049l';

describe.skipIf(!hasPty)('the inbox in a terminal (needs python3)', PATIENT, () => {
  it('shows asks as they are raised, decided here and settled elsewhere; q restores the terminal', async () => {
    const work = await bed.work('live', { title: 'Nightly build' });
    const first = await work.approval('first');
    const inbox = bed.terminal(['inbox']);
    await inbox.shows(/^Holdpoint {2}1 waiting +● live\n.*Bash: rm -rf build +Nightly build\n[\s\S]*\$ rm -rf build/);
    expect(inbox.isAlternate()).toBe(true);

    inbox.type('a');
    await inbox.shows('enter allows');
    inbox.type(KEYS.enter);
    await inbox.shows('allowed by operator (cli)');
    expect(await answerOf(first.ask_id)).toMatchObject({ behavior: 'allow', surface: 'cli' });

    const second = await work.approval('second', { input: { command: 'git push --force' } });
    await inbox.shows('$ git push --force');
    await sleep(LONGER_THAN_JUST_MS);
    inbox.type('d');
    await inbox.shows('Reason (optional');
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

  it('tells everyone who is on a request, and snoozes one', async () => {
    const work = await bed.work('marks');
    const [ask, other] = [await work.approval('taken'), await work.approval('other')];
    const inbox = bed.terminal(['inbox']);
    await inbox.shows('● live');
    await inbox.shows('2 waiting');
    await sleep(LONGER_THAN_JUST_MS);
    inbox.type('i');
    await inbox.shows('on it: you');
    expect((await bed.client.asks.get(ask.ask_id)).taken_by).toMatchObject({ by: 'operator', surface: 'cli' });
    inbox.type('i');
    await expect.poll(async () => (await bed.client.asks.get(ask.ask_id)).taken_by).toBeUndefined();
    inbox.type('h');
    await inbox.shows('Snooze for everyone');
    inbox.type(KEYS.enter);
    await inbox.shows(/›![^\n]+\n !.* snoozed +external\n/);
    expect((await bed.client.asks.get(ask.ask_id)).snoozed).toMatchObject({ by: 'operator' });
    expect(await statusOf(other.ask_id)).toBe('pending');
    await bed.run(['approvals', 'take', ask.ask_id]);
    const listed = await bed.run(['approvals', 'list']);
    expect(listed.stdout).toMatch(new RegExp(`^${ask.ask_id} .*  on it: operator, snoozed$`, 'm'));
    inbox.type('q');
    expect(await inbox.exited).toBe(0);
  });

  it('answers a question by keys, with a text of its own', async () => {
    const ask = await (await bed.work()).question('keys');
    const inbox = bed.terminal(['inbox'], { columns: 40, rows: 20 });
    await inbox.shows('Where to deploy?');
    inbox.type(KEYS.enter);
    await inbox.shows('( ) 1. Staging');
    inbox.type('2at night');
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

  it('writes only the rows that changed', async () => {
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

  it('opens $EDITOR on the input, shows the change, and allows the changed input', async () => {
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
    await inbox.shows('enter allows');
    inbox.type(KEYS.enter);
    await inbox.shows('allowed by operator');
    expect((await answerOf(ask.ask_id))?.updated_input).toEqual({ command: 'rm -r build', why: 'clean' });
    inbox.type('q');
    expect(await inbox.exited).toBe(0);
  });

  it('restores the terminal when it is terminated, and answers nothing', async () => {
    const ask = await (await bed.work('ended')).approval('ended');
    const inbox = bed.terminal(['inbox']);
    await inbox.shows('$ rm -rf build');
    inbox.type('dno');
    await inbox.shows('Deny. Reason (optional): no');
    await inbox.end();
    expect(inbox.raw()).toContain(LEFT_CLEAN);
    expect(await statusOf(ask.ask_id)).toBe('pending');
  });

  it('shows that the server is gone, and continues when it is back', async () => {
    const own = await openTestBed();
    const inbox = own.terminal(['inbox']);
    await inbox.shows('Nothing is waiting for an answer.');
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

  it('restores the terminal before it reports a defect', async () => {
    const broken = await openProxy(({ path }, respond) => {
      const isList = path.startsWith('/v1/asks');
      respond(200, isList ? '[{"ask_id":"ask_1","created_at_ms":1}]' : '{}', 'application/json');
    });
    const inbox = bed.terminal(['inbox', '--url', broken]);
    expect(await inbox.exited).toBe(1);
    expect(inbox.isAlternate()).toBe(false);
    expect(inbox.raw()).toContain('\u001b[?1049l');
    expect(inbox.screen().join('\n')).toMatch(/^holdpoint: /m);
  });

  it('reports a lost response and the retry in its footer', async () => {
    const ask = await (await bed.work()).approval('inbox');
    const inbox = bed.terminal(['inbox', '--url', await losingOnce()]);
    await inbox.shows('$ rm -rf build');
    inbox.type('a');
    await inbox.shows('enter allows');
    inbox.type(KEYS.enter);
    await expect.poll(() => inbox.raw(), PATIENT).toContain('connection lost; trying again. Nothing is done twice');
    await inbox.shows(/^Holdpoint {2}1 waiting[\s\S]*\nconnected again/);
    await expect.poll(async () => (await bed.client.asks.get(ask.ask_id)).answer?.behavior).toBe('allow');
    inbox.type('q');
    expect(await inbox.exited).toBe(0);
  });
});

/** Forwards every request; the response to the first mutation is dropped. */
function losingOnce(): Promise<string> {
  let isLost = false;
  return openProxy(async ({ method, path, body, key }, respond, drop) => {
    // A stream without events.
    if (path.startsWith('/v1/events')) return;
    const response = await fetch(bed.server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${bed.server.token}`,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(method === 'POST' && { body }),
    });
    const text = await response.text();
    if (key === undefined || isLost)
      return respond(response.status, text, response.headers.get('content-type') ?? 'application/json');
    isLost = true;
    drop();
  });
}
