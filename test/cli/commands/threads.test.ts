// `holdpoint threads` as a process against a real server: items, live ones too, and posts that answer or are input.
// Covers: src/cli/text/thread-text.ts
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ItemView } from '../../../src/core/views.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed, type Work } from '../test-bed.ts';

let bed: TestBed;
let work: Work;
let made = 0;
beforeAll(async () => {
  bed = await openTestBed();
}, PATIENT.timeout);
beforeEach(async () => {
  work = await bed.work(`chat-${++made}`);
});
afterAll(closeTestBeds);

const threads = (...args: string[]) => bed.run(['threads', ...args]);
const linesOf = ({ stdout }: { stdout: string }) => stdout.trimEnd().split('\n');

describe('threads', PATIENT, () => {
  it('shows messages, prompts and answers', async () => {
    await bed.client.runs.output(work.runId, { text: 'let me see\u001b[2J' });
    const ask = await work.question('q');
    const posted = await threads('post', work.sessionId, '2');
    expect([posted.code, posted.stdout.trim()]).toEqual([0, `answered ${ask.ask_id}`]);
    await bed.client.asks.delivered(ask.ask_id);
    const shown = linesOf(await threads('show', work.sessionId));
    expect(shown).toEqual([
      'operator> ship it',
      'let me see␛[2J',
      '❓ Provide input:',
      'Where to deploy?',
      '  1. Staging',
      '  2. Production — customers see it',
      'Reply with a number, the option text, or free text.',
      'operator> 2',
      '✓ Answered: Production',
    ]);
    const json = JSON.parse((await threads('show', `thr_${work.sessionId}`, '--last', '2', '--json')).stdout);
    expect(json.map((item: ItemView) => item.author.role)).toEqual(['user', 'worker']);
  });

  it('says what a post did to an approval: added a comment, denied or allowed it', async () => {
    const commented = await work.approval('asked');
    const comment = await threads('post', work.sessionId, '/comment why?');
    expect([comment.code, comment.stdout]).toEqual([0, 'Comment added. The request stays open.\n']);
    expect((await bed.client.asks.get(commented.ask_id)).status).toBe('pending');
    expect((await threads('post', work.sessionId, 'what is this')).stdout).toBe(`denied ${commented.ask_id}\n`);
    await bed.client.asks.delivered(commented.ask_id);
    const { ask_id } = await work.approval('again');
    expect((await threads('post', work.sessionId, 'yes')).stdout).toBe(`allowed ${ask_id}\n`);
    expect((await threads('post', '--help')).stdout.replace(/\s+/g, ' ')).toContain('anything but an exact yes denies');
  });

  it('numbers the questions of an open prompt as a reply names them', async () => {
    const questions = ['Where?', 'When?'].map((question) => ({ question }));
    await bed.client.asks.raise(work.runId, { kind: 'question', tool_call_id: 'two', questions });
    const { stdout } = await threads('show', work.sessionId);
    expect(stdout).toMatch(/1\)\n\s+Where\?\n[\s\S]*2\)\n\s+When\?\n[\s\S]*one line per question: 1\) … 2\) …/);
  });

  it('lists threads, and follows one until its limit', async () => {
    const listed = await threads('list');
    expect(listed.stdout).toMatch(new RegExp(`^${work.sessionId} +running`, 'm'));
    const following = bed.start(['threads', 'follow', work.sessionId, '--json', '--limit', '3']);
    await bed.client.runs.output(work.runId, { text: 'one' });
    await bed.client.runs.output(work.runId, { text: 'two' });
    const ended = await following.ended;
    expect(ended.code).toBe(0);
    const said = linesOf(ended).map((text) => (JSON.parse(text) as ItemView).content);
    expect(said).toEqual(['ship it', 'one', 'two'].map((text) => [{ type: 'text', text }]));
  });

  it('posts input for the next run, also from standard input', async () => {
    const first = await threads('post', work.sessionId, 'and', 'the', 'tests', '--json');
    const item = JSON.parse(first.stdout) as ItemView;
    const second = await bed.run(['threads', 'post', work.sessionId, '-'], { input: 'line one\nline two' });
    expect(second.stdout.trim()).toBe(`input for ${item.run_id}`);
    const input = await bed.client.runs.input(item.run_id ?? '');
    expect(input.text).toBe('and the tests\n\nline one\nline two');
  });

  it('posts structured answers, and refuses those to a prompt that is not open', async () => {
    const ask = await work.approval('p');
    const wrong = await threads('post', work.sessionId, 'yes', '--prompt-id', 'ask_other');
    expect([wrong.code, wrong.stderr.includes(ask.ask_id)]).toEqual([4, true]);
    const answers = JSON.stringify([{ answer: ['Approve'] }]);
    const posted = await threads('post', work.sessionId, '--prompt-id', ask.ask_id, '--answers-json', answers);
    expect(posted.code, posted.stderr).toBe(0);
    expect((await bed.client.asks.get(ask.ask_id)).answer?.behavior).toBe('allow');
    const late = await threads('post', work.sessionId, 'no', '--prompt-id', ask.ask_id);
    expect([late.code, late.stderr]).toEqual([4, expect.stringContaining('operator')]);
  });

  it.each([
    [['post', 'chat-1']],
    [['post', 'chat-1', '  ']],
    [['post', 'chat-1', '--answers-json', '[]']],
    [['post', 'chat-1', 'x', '--prompt-id', 'a', '--answers-json', 'no']],
    [['show', 'chat-1', '--last', 'many']],
  ])('refuses %j with the reason', async (args) => {
    const { code, stderr } = await threads(...args);
    expect([code, stderr.startsWith('holdpoint: ')]).toEqual([2, true]);
  });

  it('reports an unknown session', async () => {
    expect((await threads('show', 'nobody')).code).toBe(3);
  });
});
