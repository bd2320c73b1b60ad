// A person answers in the thread, by text or with structure: read by the rules of core/reply, ended by the same verbs as
// everywhere, once. A post that cannot be an answer is refused with an explanation and posts nothing.
// Covers: src/core/given-reply.ts, src/core/winner.ts, src/gateway/thread-prompt.ts
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import {
  allow,
  answer,
  clarify,
  decide,
  eventsOfSession,
  type Fields,
  family,
  type Held,
  held,
  NOTES,
  ok,
  picks,
  REGIONS,
  ROUTING,
  raiseApproval,
  raiseQuestion,
  refusal,
  showAsk,
  showRun,
} from '../support/api-calls.ts';
import { operatorForAll, serverForAll } from '../support/shared-fixtures.ts';
import { chat, itemsOf, pathOf, post, textPost } from '../support/thread.ts';

const server = serverForAll();
const mate = operatorForAll(server, 'mate');

const APPROVAL = { kind: 'approval' };
const delivered = (h: Held) => ok(server.post(`/v1/asks/${h.ask.ask_id}/delivered`));
const prompt = (h: Held, answers?: unknown): Fields => ({
  prompt: { prompt_id: h.ask.ask_id, ...(answers ? { answers } : {}) },
});
const answerOf = async (h: Held) => (await showAsk(server, h.ask.ask_id)).answer;

/** Posting this must be refused and change nothing at all. */
async function refusedPost(h: Held, text: string, metadata: Fields | undefined, status: number, code: ErrorCode) {
  const before = await eventsOfSession(server, h.sessionId);
  const problem = await refusal(post(server, h.sessionId, text, metadata), status, code);
  expect(await eventsOfSession(server, h.sessionId)).toEqual(before);
  return problem;
}

describe('a text in a thread', () => {
  it('answers the open prompt in the name of its author', async () => {
    const h = await held(server);
    const item = await ok(post(server, h.sessionId, ' 2 ', { mood: 'calm' }, mate));
    expect(item).toMatchObject({
      thread_id: `thr_${h.sessionId}`,
      author: { role: 'user', name: 'mate' },
      content: [{ type: 'text', text: ' 2 ' }],
      metadata: { mood: 'calm' },
      run_id: h.runId,
      ask_id: h.ask.ask_id,
    });
    expect(await answerOf(h)).toMatchObject({
      outcome: 'answered',
      answers: [{ question_id: 'routing', selected_option_ids: ['local'] }],
      answered_by: 'mate',
      surface: 'thread',
    });
    expect((await showRun(server, h.runId)).status).toBe('running');
    expect(await chat(server, h.sessionId)).toEqual(['? Which provider?', 'mate:  2 ']);
    await delivered(h);
    const items = await itemsOf(server, h.sessionId);
    expect(items).toHaveLength(3);
    expect(items[1]).toEqual(item);
    expect(items[2]).toMatchObject({
      author: { role: 'worker' },
      content: [{ type: 'text', text: '✓ Answered: Local' }],
      metadata: {
        type: 'pending_prompt_resolved',
        prompt: {
          prompt_id: h.ask.ask_id,
          kind: 'ask_user_question',
          prompt_state: 'answered',
          answers: [{ question: 'Which provider?', answer: ['Local'] }],
          reason: null,
        },
      },
    });
  });

  it.each([
    ['openAI', { selected_option_ids: ['openai'] }],
    ['neither, ask me tomorrow', { freeform_answer: 'neither, ask me tomorrow' }],
    ['3', { freeform_answer: '3' }],
  ])('is read as the option it names, else as free text: %s', async (text, given) => {
    const h = await held(server);
    await ok(post(server, h.sessionId, text));
    expect((await answerOf(h))?.answers).toEqual([{ question_id: 'routing', ...given }]);
  });

  it('answers several questions line by line, and several options by number', async () => {
    const h = await held(server, { questions: [ROUTING, REGIONS, NOTES] });
    await ok(post(server, h.sessionId, '1) 1\n2) 3, 1\n3) go on'));
    expect((await answerOf(h))?.answers).toEqual([
      { question_id: 'routing', selected_option_ids: ['openai'] },
      { question_id: 'regions', selected_option_ids: ['as', 'eu'] },
      { question_id: 'notes', freeform_answer: 'go on' },
    ]);
  });

  it.each([
    ['YES', { behavior: 'allow' }],
    ['no', { behavior: 'deny', reason: 'approval denied' }],
    ['yes.', { behavior: 'deny', reason: 'yes.' }],
    ['use trash instead', { behavior: 'deny', reason: 'use trash instead' }],
  ])('approves with an affirmative token and denies with any other text: %s', async (text, decision) => {
    const h = await held(server, APPROVAL);
    await ok(post(server, h.sessionId, text));
    expect(await answerOf(h)).toMatchObject(decision);
  });

  it('is kept whole as an answer of 100 kB, and truncated as the reason of a denial', async () => {
    const huge = `${'ä'.repeat(50_000)}${'😀'.repeat(12_500)}`;
    const h = await held(server, { questions: [NOTES] });
    await ok(post(server, h.sessionId, huge));
    expect((await answerOf(h))?.answers?.[0]?.freeform_answer).toBe(huge);
    const gate = await held(server, APPROVAL);
    await ok(post(server, gate.sessionId, `x${'😀'.repeat(25_000)}`));
    const { behavior, reason = '' } = (await answerOf(gate)) ?? {};
    expect([behavior, reason.length <= 20_000, reason.isWellFormed(), reason.endsWith('…')]).toEqual([
      'deny',
      true,
      true,
      true,
    ]);
  });

  it('is refused over the limit', async () => {
    const h = await held(server);
    await refusedPost(h, 'x'.repeat(200_001), undefined, 400, 'invalid_request');
  });

  it.each(['', '  \n\t ', '\u00a0'])('is refused when it is white space alone: %j', async (text) => {
    for (const ask of [{}, APPROVAL]) {
      const h = await held(server, ask);
      await refusedPost(h, text, undefined, 400, 'thread_item_empty');
      expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
    }
  });

  it('is refused where only options are allowed, and the options are named', async () => {
    const h = await held(server, { questions: [{ ...ROUTING, allow_other: false }] });
    const problem = await refusedPost(h, 'something else', undefined, 400, 'question_option_not_found');
    expect(problem.detail).toContain('1. OpenAI, 2. Local');
    await ok(post(server, h.sessionId, '1'));
  });

  it('is in no item and no event when it answers a secret question', async () => {
    const h = await held(server, { questions: [{ ...NOTES, secret: true }] });
    const item = await ok(post(server, h.sessionId, 'hunter2', { note: 'hunter2' }));
    await delivered(h);
    const shown = JSON.stringify([
      item,
      await itemsOf(server, h.sessionId),
      await eventsOfSession(server, h.sessionId),
    ]);
    expect(shown).not.toContain('hunter2');
    expect(await chat(server, h.sessionId)).toEqual([
      '? Anything else?',
      'operator: (secret)',
      '! ✓ Answered: (secret)',
    ]);
  });
});

describe('a structured answer in a thread', () => {
  const given = (question: string | undefined, ...answer: string[]) => ({ ...(question && { question }), answer });

  it('takes labels as options and everything else as free text', async () => {
    const h = await held(server, { questions: [ROUTING, REGIONS] });
    const answers = [given('Which regions?', 'Asia', 'Mars', 'europe'), given('Which provider?', '2')];
    await ok(post(server, h.sessionId, 'see there', prompt(h, answers)));
    expect((await answerOf(h))?.answers).toEqual([
      { question_id: 'regions', selected_option_ids: ['as'], freeform_answer: 'Mars\neurope' },
      { question_id: 'routing', freeform_answer: '2' },
    ]);
  });

  it('needs no text beside its answers', async () => {
    const h = await held(server);
    const body = { content: [], metadata: prompt(h, [given(undefined, 'Local')]) };
    await ok(server.post(pathOf(h.sessionId), body));
    expect((await answerOf(h))?.answers).toEqual(picks('local'));
  });

  it('is refused for a question that was not asked', async () => {
    const h = await held(server, { questions: [ROUTING, NOTES] });
    for (const question of ['Which colour?', undefined])
      await refusedPost(h, 'x', prompt(h, [given(question, 'Local')]), 400, 'question_unknown_answer');
  });

  it.each([
    [[given(undefined, 'Approve')], 'allow'],
    [[given('Bash: rm -rf build', 'Approve')], 'allow'],
    [[given(undefined, 'Deny')], 'deny'],
    [[given(undefined, 'approve')], 'deny'],
    [[given(undefined, 'yes')], 'deny'],
    [[given(undefined, 'Approve', 'Deny')], 'deny'],
    [[given(undefined, 'Approve'), given(undefined, 'Approve')], 'deny'],
    [[given(undefined)], 'deny'],
    [[], 'deny'],
  ])('approves with exactly the word Approve and denies with anything else: %j', async (answers, behavior) => {
    const h = await held(server, APPROVAL);
    await ok(post(server, h.sessionId, 'yes', prompt(h, answers)));
    expect((await answerOf(h))?.behavior).toBe(behavior);
  });

  it('is refused for the approval of another action', async () => {
    const h = await held(server, APPROVAL);
    await refusedPost(h, 'x', prompt(h, [given('Bash: ls', 'Approve')]), 400, 'question_unknown_answer');
  });

  it('is refused when it is not well formed, and never approves', async () => {
    const h = await held(server, APPROVAL);
    for (const wrong of [
      { prompt: 'yes' },
      { prompt: { answers: [given(undefined, 'Approve')] } },
      { prompt: { prompt_id: h.ask.ask_id, answers: 'Approve' } },
      { prompt: { prompt_id: h.ask.ask_id, answers: [{ answer: 'Approve' }] } },
      { type: 'pending_prompt_resolved' },
    ])
      await refusedPost(h, 'yes', wrong, 400, 'invalid_request');
    await refusal(server.post(pathOf(h.sessionId), { content: [{ type: 'image', url: 'x' }] }), 400, 'invalid_request');
  });
});

describe('a post that names its prompt', () => {
  it('is read as text when it has no answers', async () => {
    const h = await held(server);
    await ok(post(server, h.sessionId, '1', prompt(h)));
    expect((await answerOf(h))?.answers).toEqual(picks('openai'));
  });

  it('is refused when another prompt is open, which it names', async () => {
    const [h, other] = [await held(server), await held(server)];
    const next = await raiseApproval(server, h.runId);
    for (const id of ['ask_unknown', other.ask.ask_id, next.ask_id]) {
      const problem = await refusedPost(
        h,
        'yes',
        { prompt: { prompt_id: id } },
        409,
        'thread_prompt_mismatch' as never,
      );
      expect(problem.detail).toContain(h.ask.ask_id);
    }
  });

  it('is refused when it expects no prompt and one is open by then', async () => {
    const h = await held(server, APPROVAL);
    const problem = await refusedPost(h, 'yes', { prompt: null }, 409, 'thread_prompt_mismatch');
    expect(problem.detail).toContain(h.ask.ask_id);
    await ok(decide(server, h.runId, allow(h.ask.ask_id)));
    await delivered(h);
    expect((await ok(post(server, h.sessionId, 'yes', { prompt: null }))).ask_id).toBeUndefined();
  });

  it('is refused with the outcome when the prompt has ended, also when the thread has gone on', async () => {
    const h = await held(server);
    await ok(answer(server, h));
    await delivered(h);
    const next = await raiseQuestion(server, h.runId);
    const problem = await refusedPost(h, '2', prompt(h), 409, 'question_state_conflict');
    expect(problem.winner).toMatchObject({ answered_by: 'operator', surface: 'api', outcome: 'answered' });
    expect((await showAsk(server, next.ask_id)).status).toBe('pending');
  });
});

describe('concurrent posts of two people', () => {
  it('have one winner, which is named to the other, whose post is input for the next run', async () => {
    const h = await held(server);
    const posts = ['1', '2'].map((text, i) => post(server, h.sessionId, text, undefined, i === 0 ? {} : mate));
    const items = await Promise.all(posts.map((reply) => ok(reply)));
    const { answered_by } = (await answerOf(h)) ?? {};
    const late = items.filter((item) => item.ask_id === undefined);
    expect(late).toMatchObject([{ winner: { answered_by, surface: 'thread', outcome: 'answered' } }]);
    expect(late[0]?.run_id).not.toBe(h.runId);
    expect(items.filter((item) => item.winner === undefined)).toMatchObject([{ ask_id: h.ask.ask_id }]);
  });

  it('have one winner, and the other is refused with it when it names the prompt', async () => {
    const h = await held(server);
    await ok(post(server, h.sessionId, '1'));
    const problem = await refusedPost(h, '2', prompt(h), 409, 'question_state_conflict');
    expect(problem.winner).toMatchObject({ answered_by: 'operator', surface: 'thread' });
  });

  it('keep a second secret out of the log', async () => {
    const h = await held(server, { questions: [{ id: 'key', question: 'The key?', secret: true }] });
    await ok(post(server, h.sessionId, 's3cret-1'));
    await refusedPost(h, 's3cret-2', undefined, 409, 'question_state_conflict');
    expect(JSON.stringify(await eventsOfSession(server, h.sessionId))).not.toContain('s3cret');
  });

  it('leave a text that decides nothing to the next run while the answer is on its way', async () => {
    const h = await held(server, APPROVAL);
    await ok(post(server, h.sessionId, 'yes'));
    await ok(post(server, h.sessionId, 'and hurry'));
    await ok(post(server, h.sessionId, 'please', { prompt: null }));
    await delivered(h);
    expect((await chat(server, h.sessionId)).slice(1)).toEqual([
      'operator: yes',
      'operator: and hurry',
      'operator: please',
      '! ✓ Answered: Approve',
    ]);
  });

  it('both succeed when they say the same', async () => {
    const h = await held(server, APPROVAL);
    await ok(post(server, h.sessionId, 'ok'));
    await ok(post(server, h.sessionId, 'yes', undefined, mate));
    await delivered(h);
    expect((await chat(server, h.sessionId)).slice(1)).toEqual(['operator: ok', 'mate: yes', '! ✓ Answered: Approve']);
  });

  it('have one winner when one answers elsewhere', async () => {
    const h = await held(server, APPROVAL);
    await ok(decide(server, h.runId, allow(h.ask.ask_id)));
    const late = await ok(post(server, h.sessionId, 'no'));
    expect(late).toMatchObject({ winner: { surface: 'api', behavior: 'allow' } });
    expect(late.ask_id).toBeUndefined();
  });
});

it('refuses a post to an expired prompt, whether or not the sweep came first', async () => {
  const h = await held(server, { expires_after_ms: 50 });
  server.advance(60);
  await refusal(post(server, h.sessionId, '1', prompt(h)), 409, 'question_expired');
  await refusal(post(server, h.sessionId, '1', prompt(h)), 409, 'question_expired');
  expect(await chat(server, h.sessionId)).toEqual(['? Which provider?', '! ✗ Cancelled: expired', 'end cancelled']);
});

it('opens one prompt at a time, and each post answers the open one', async () => {
  const h = await held(server, APPROVAL);
  const second = await raiseQuestion(server, h.runId);
  await ok(post(server, h.sessionId, 'yes'));
  expect(await ok(post(server, h.sessionId, '2'))).toMatchObject({ winner: { behavior: 'allow' } });
  expect((await showAsk(server, second.ask_id)).status).toBe('pending');
  await delivered(h);
  await ok(post(server, h.sessionId, '2'));
  expect((await showAsk(server, second.ask_id)).answer?.answers).toEqual(picks('local'));
});

it('refuses posts of agents, workers and viewers', async () => {
  const h = await held(server);
  for (const [scope, sessionId] of [['agent', h.sessionId], ['worker'], ['viewer']] as const) {
    const { token } = await server.makeToken(scope, sessionId);
    await refusal(post(server, h.sessionId, '1', undefined, { token }), 403, 'scope_forbidden');
  }
});

it('posts once under the same idempotency key', async () => {
  const h = await held(server);
  const options = { headers: { 'idempotency-key': 'k' } };
  const first = await post(server, h.sessionId, '1', undefined, options);
  const again = await post(server, h.sessionId, '1', undefined, options);
  expect([again.status, again.body]).toEqual([first.status, first.body]);
  await refusal(server.post(pathOf(h.sessionId), textPost('2'), options), 409, 'idempotency_conflict');
  expect(await chat(server, h.sessionId)).toEqual(['? Which provider?', 'operator: 1']);
});

it('refuses a text for a form', async () => {
  const h = await held(server, { mode: 'form' });
  await refusedPost(h, '1', undefined, 409, 'pending_interactive_form');
  await ok(post(server, h.sessionId, 'here', prompt(h, [{ question: 'Which provider?', answer: ['Local'] }])));
  expect((await answerOf(h))?.answers).toEqual(picks('local'));
});

it('answers the clarification of a child in the thread of its parent', async () => {
  const { parentId, childId, childRunId } = await family(server);
  await clarify(server, childRunId);
  await ok(post(server, parentId, 'local'));
  const [mail] = await ok(server.get<{ payload: Fields }[]>(`/v1/sessions/${childId}/mailbox`));
  expect(mail?.payload).toMatchObject({ declined: false, answers: picks('local') });
  expect((await chat(server, parentId)).slice(0, 3)).toEqual([
    '? Which provider?',
    'operator: local',
    '! ✓ Answered: Local',
  ]);
});
