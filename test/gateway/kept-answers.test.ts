// Threads of agents whose worker is lost. A prompt that can still be answered stays open. An answer given meanwhile is
// kept and given once to the agent that asks the same question again; an approval is decided again. Nothing becomes chat.
import { describe, expect, it } from 'vitest';
import type { AskView, ClaimedRunView } from '../../src/core/views.ts';
import {
  callId,
  eventually,
  type Fields,
  newSession,
  ok,
  picks,
  ROUTING,
  raiseApproval,
  raiseQuestion,
  refusal,
  showAsk,
  showRun,
  showSession,
  startRun,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { chat, post } from '../support/thread.ts';

const server = serverForAll();

const LEASE_MS = 5000;
let agents = 0;
type Recovery = 'none' | 'replay' | 'resume';
const claim = async (agent: string, recovery: Recovery): Promise<ClaimedRunView | undefined> => {
  const body = { worker_id: `w${++agents}`, agents: [{ name: agent, recovery }], lease_ms: LEASE_MS };
  return (await ok(server.post<ClaimedRunView | ''>('/v1/workers/claim', body))) || undefined;
};
const begin = async (recovery: Recovery) => {
  const agent = `agent-${++agents}`;
  const { session_id: sessionId } = await newSession(server, { agent });
  const { run_id: runId } = await startRun(server, sessionId, { input: {} });
  await claim(agent, recovery);
  return { agent, sessionId, runId };
};
const lose = () => server.advance(LEASE_MS + 1);
const delivered = (ask: AskView) => ok(server.post(`/v1/asks/${ask.ask_id}/delivered`));
/** Another run of the session, with a worker. */
const again = async ({ agent, sessionId }: { agent: string; sessionId: string }): Promise<string> => {
  await ok(post(server, sessionId, 'go on'));
  return (await claim(agent, 'none'))?.run.run_id ?? '';
};
const CANCELLED = '! ✗ Cancelled: the worker was lost';
const lostAnswer = (what: string) => `! ✗ Answered: ${what}. The agent did not take it: the worker was lost`;

describe('an agent that cannot be resumed', () => {
  it('cancels the prompt of an agent that cannot be resumed when a worker comes back, not before', async () => {
    const b = await begin('none');
    await raiseQuestion(server, b.runId);
    lose();
    await eventually(async () => (await chat(server, b.sessionId)).length).toBe(1);
    expect((await showSession(server, b.sessionId)).status).toBe('waiting_for_user_question');
    expect(await claim(b.agent, 'none')).toBeUndefined();
    expect(await chat(server, b.sessionId)).toEqual(['? Which provider?', CANCELLED, 'end interrupted']);
  });

  it('gives an answer that came meanwhile once to the agent that asks the same question again', async () => {
    const b = await begin('none');
    const lost = await raiseQuestion(server, b.runId);
    lose();
    await ok(post(server, b.sessionId, '2'));
    expect((await showAsk(server, lost.ask_id)).answer?.answers).toEqual(picks('local'));
    await eventually(async () => (await showRun(server, b.runId)).status).toBe('interrupted');
    expect(await chat(server, b.sessionId)).toEqual([
      '? Which provider?',
      'operator: 2',
      lostAnswer('Local'),
      'end interrupted',
    ]);

    const runId = await again(b);
    const other = await raiseQuestion(server, runId, { questions: [{ ...ROUTING, question: 'Which one?' }] });
    expect(other.status).toBe('pending');
    await ok(post(server, b.sessionId, '1'));
    await delivered(other);
    const asked = await raiseQuestion(server, runId);
    expect(asked).toMatchObject({
      status: 'answered',
      answer: {
        answers: picks('local'),
        answered_by: 'operator',
        surface: 'system',
        answered_at_ms: (await showAsk(server, lost.ask_id)).answer?.answered_at_ms,
        kept_from: lost.ask_id,
      },
    });
    expect((await showRun(server, runId)).status).toBe('running');
    await delivered(asked);
    expect((await chat(server, b.sessionId)).slice(-3)).toEqual([
      'Answered with what operator said before the worker was lost.',
      '? Which provider?',
      '! ✓ Answered: Local',
    ]);
    expect((await raiseQuestion(server, runId)).status).toBe('pending');
  });

  it('finding 5: asks a person again for an answer that was already given again, or whose worker was lost long ago', async () => {
    const b = await begin('none');
    await raiseQuestion(server, b.runId);
    lose();
    await ok(post(server, b.sessionId, '2'));
    await eventually(async () => (await showRun(server, b.runId)).status).toBe('interrupted');
    const second = await again(b);
    expect((await raiseQuestion(server, second)).status).toBe('answered');
    lose();
    await eventually(async () => (await showRun(server, second)).status).toBe('interrupted');
    const third = await again(b);
    expect((await raiseQuestion(server, third)).status).toBe('pending');
    lose();
    await ok(post(server, b.sessionId, '2'));
    await eventually(async () => (await showRun(server, third)).status).toBe('interrupted');
    server.advance(15 * 60_000);
    expect((await raiseQuestion(server, await again(b))).status).toBe('pending');
  });

  it('asks an approval again and shows the person what was decided before', async () => {
    const b = await begin('none');
    await raiseApproval(server, b.runId);
    lose();
    await ok(post(server, b.sessionId, 'yes'));
    await eventually(async () => (await showRun(server, b.runId)).status).toBe('interrupted');
    const runId = await again(b);
    const asked = await raiseApproval(server, runId);
    expect(asked).toMatchObject({
      status: 'pending',
      request: { earlier: { behavior: 'allow', answered_by: 'operator' } },
    });
    expect((await chat(server, b.sessionId)).at(-1)).toBe('? Bash: rm -rf build');
    await ok(post(server, b.sessionId, 'ok'));
    expect((await showAsk(server, asked.ask_id)).answer).toMatchObject({
      behavior: 'allow',
      digest: asked.request.digest,
    });
    await delivered(asked);
    expect((await raiseApproval(server, runId)).request).not.toHaveProperty('earlier');
  });

  it('gives no secret again, and no answer of another session', async () => {
    const b = await begin('none');
    const question: Fields = { tool_call_id: callId(), questions: [{ id: 'key', question: 'Key?', secret: true }] };
    await raiseQuestion(server, b.runId, question);
    lose();
    await ok(post(server, b.sessionId, 'hunter2'));
    await eventually(async () => (await showRun(server, b.runId)).status).toBe('interrupted');
    expect((await raiseQuestion(server, await again(b), question)).status).toBe('pending');
    const other = await begin('none');
    await raiseQuestion(server, other.runId);
    lose();
    await ok(post(server, other.sessionId, '1'));
    await eventually(async () => (await showRun(server, other.runId)).status).toBe('interrupted');
    const elsewhere = await begin('none');
    expect((await raiseQuestion(server, elsewhere.runId)).status).toBe('pending');
  });

  it('shows several prompts one after another and takes their answers while no worker is there', async () => {
    const b = await begin('none');
    await raiseQuestion(server, b.runId);
    await raiseApproval(server, b.runId);
    lose();
    await eventually(async () => {
      const { status } = await post(server, b.sessionId, '1');
      return status;
    }).toBe(201);
    await eventually(async () => (await chat(server, b.sessionId)).at(-1)).toBe('? Bash: rm -rf build');
    await ok(post(server, b.sessionId, 'no'));
    await eventually(async () => (await showRun(server, b.runId)).status).toBe('interrupted');
    const ends = (await chat(server, b.sessionId)).filter((line) => line.startsWith('!'));
    expect(ends).toEqual([lostAnswer('OpenAI'), lostAnswer('Deny')]);
  });
});

it('delivers an answer that came meanwhile to an agent that can be resumed', async () => {
  const b = await begin('resume');
  const ask = await raiseQuestion(server, b.runId);
  lose();
  await ok(post(server, b.sessionId, '2'));
  const claimed = await eventually(async () => claim(b.agent, 'resume'))
    .not.toBeUndefined()
    .then(() => showRun(server, b.runId));
  expect(claimed.status).toBe('running');
  await delivered(ask);
  expect(await chat(server, b.sessionId)).toEqual(['? Which provider?', 'operator: 2', '! ✓ Answered: Local']);
});

it('takes a post after the prompt was cancelled as input, and refuses one that names the prompt', async () => {
  const b = await begin('none');
  const ask = await raiseQuestion(server, b.runId);
  lose();
  await eventually(async () => {
    await claim(b.agent, 'none');
    return (await chat(server, b.sessionId)).at(-1);
  }).toBe('end interrupted');
  const named = post(server, b.sessionId, '2', { prompt: { prompt_id: ask.ask_id } });
  expect((await refusal(named, 409, 'question_state_conflict')).winner).toMatchObject({ answered_by: 'system' });
  expect((await ok(post(server, b.sessionId, '2'))).ask_id).toBeUndefined();
});
