// Every kind of ask in every holding mode, through the mock agent on a real worker: alone, in parallel, with sub-agents. What
// the agent received is read from its outputs; each answer is delivered once.
// Covers: src/client/clarifying.ts, src/agents/mock/agent.ts, src/agents/mock/input.ts
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Step } from '../../../src/agents/mock/input.ts';
import type { AskView } from '../../../src/core/views.ts';
import type { Worker } from '../../../src/worker/worker.ts';
import { openServer, type Server } from '../../support/server.ts';
import { BASH, TestBed, WHICH } from '../../support/test-bed.ts';

let server: Server;
let bed: TestBed;
let worker: Worker;
beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
  worker = await bed.worker();
});
afterAll(async () => {
  await bed.close();
  await server.close();
});

const first = async (sessionId: string): Promise<AskView> => (await bed.pending(sessionId))[0] as AskView;
const deliveries = (sessionId: string) => bed.events(sessionId, 'ask.delivered');
const done: Step = { do: 'complete', text: 'done' };

describe.each(['blocking', 'deferred', 'form', 'restart'] as const)('a question, %s', (mode) => {
  it('reaches the agent once, in the run that carries on', async () => {
    const script: Step[] = [
      { do: 'say', text: 'before' },
      { do: 'ask', id: 'q', mode, questions: [WHICH], answered: [{ do: 'say', text: 'took {{q}}' }] },
      done,
    ];
    const run = await bed.play(script);
    const ask = await first(run.session_id);
    expect((await bed.api.runs.get(run.run_id)).status).toBe('waiting_for_user_question');
    await bed.answer(ask, { question_id: 'which', selected_option_ids: ['b'] });

    const isHandedOver = mode === 'form' || mode === 'restart';
    const last = isHandedOver ? await bed.carriedOn(run) : await bed.over(run.run_id);
    expect(last.status).toBe('completed');
    expect(bed.heard(last)).toEqual(['q: answered: Bread']);
    const said = isHandedOver ? [...(await bed.over(run.run_id)).outputs, ...last.outputs] : last.outputs;
    expect(said.map((o) => o.text).filter((t) => t !== undefined)).toEqual([
      'before',
      'q: answered: Bread',
      'took Bread',
      'done',
    ]);
    expect(await deliveries(run.session_id)).toHaveLength(1);
    expect((await bed.api.runs.get(run.run_id)).status).toBe('completed');
  });

  it('is reported to the agent as declined', async () => {
    const run = await bed.play([{ do: 'ask', id: 'q', mode, questions: [WHICH] }, done]);
    await bed.decline(await first(run.session_id), 'not mine to say');
    const last = mode === 'form' || mode === 'restart' ? await bed.carriedOn(run) : await bed.over(run.run_id);
    expect(bed.heard(last)).toEqual(['q: declined: not mine to say']);
    expect(await deliveries(run.session_id)).toHaveLength(1);
  });

  it('cancels the run when it expires', async () => {
    const run = await bed.play([{ do: 'ask', id: 'q', mode, questions: [WHICH], expires_after_ms: 200 }, done]);
    const ended = await bed.over(run.run_id);
    expect(ended.status).toBe('cancelled');
    expect(bed.heard(ended)).toEqual([]);
    const [ask] = (await bed.api.asks.list({ run_id: run.run_id })).items;
    expect(ask?.answer?.outcome).toBe('expired');
  });

  it('gives a secret answer to the agent and to no other caller', async () => {
    const secret = `s3cret-${mode}`;
    const run = await bed.play([
      { do: 'ask', id: 'q', mode, questions: [{ id: 'key', question: 'Key?', secret: true }] },
      done,
    ]);
    await bed.answer(await first(run.session_id), { question_id: 'key', freeform_answer: secret });
    const last = mode === 'form' || mode === 'restart' ? await bed.carriedOn(run) : await bed.over(run.run_id);
    expect(bed.heard(last)).toEqual([`q: answered: (a secret of ${secret.length} characters)`]);
    expect(await deliveries(run.session_id)).toHaveLength(1);
    const everything = JSON.stringify([await bed.events(run.session_id), await bed.api.asks.list(), last]);
    expect(everything).not.toContain(secret);
  });
});

describe('a question set', () => {
  it('takes multi select, free text and a skipped question', async () => {
    const questions = [
      { ...WHICH, id: 'many', multi_select: true },
      { id: 'why', question: 'Why?' },
      { id: 'more', question: 'Anything else?', required: false },
    ];
    const run = await bed.play([{ do: 'ask', id: 'q', questions }, done]);
    await bed.answer(
      await first(run.session_id),
      { question_id: 'many', selected_option_ids: ['a', 'b'] },
      { question_id: 'why', freeform_answer: 'hungry' },
    );
    expect(bed.heard(await bed.over(run.run_id))).toEqual(['q: answered: Apples, Bread\nhungry\n(skipped: more)']);
  });

  it('stops the agent and its run when a person cancels it', async () => {
    const run = await bed.play([
      { do: 'ask', id: 'q', questions: [WHICH] },
      { do: 'say', text: 'never' },
    ]);
    const ask = await first(run.session_id);
    await bed.api.questions.cancel(run.run_id, ask.ask_id);
    const ended = await bed.over(run.run_id);
    expect(ended.status).toBe('cancelled');
    expect(ended.outputs).toEqual([]);
  });
});

describe.each(['blocking', 'deferred'] as const)('an approval, %s', (mode) => {
  it('gives the agent the input that the person updated', async () => {
    const run = await bed.play([{ do: 'approve', id: 'p', mode, ...BASH }, done]);
    await bed.decide(await first(run.session_id), { behavior: 'allow', updated_input: { command: 'npm ci' } });
    expect(bed.heard(await bed.over(run.run_id))).toEqual(['p: answered: allowed {"command":"npm ci"}']);
    expect(await deliveries(run.session_id)).toHaveLength(1);
  });

  it('gives the agent the reason of a denial', async () => {
    const script: Step[] = [
      {
        do: 'approve',
        id: 'p',
        mode,
        ...BASH,
        allowed: [{ do: 'say', text: 'ran' }],
        denied: [{ do: 'say', text: 'did not: {{p}}' }],
      },
      done,
    ];
    const run = await bed.play(script);
    await bed.decide(await first(run.session_id), { behavior: 'deny', reason: 'use the lockfile' });
    const { outputs } = await bed.over(run.run_id);
    expect(outputs.map((o) => o.text)).toEqual(['p: answered: use the lockfile', 'did not: use the lockfile', 'done']);
  });

  it('is a denial when it expires', async () => {
    const script: Step[] = [
      { do: 'approve', id: 'p', mode, ...BASH, expires_after_ms: 200, allowed: [{ do: 'say', text: 'ran' }] },
      done,
    ];
    const ended = await bed.over((await bed.play(script)).run_id);
    expect(ended.outputs.map((o) => o.text)).toEqual(['p: expired: expired', 'done']);
  });
});

describe('parallel asks', () => {
  const asks = (mode: 'blocking' | 'deferred') => [
    { do: 'ask' as const, id: 'q1', mode, questions: [WHICH] },
    { do: 'approve' as const, id: 'p1', mode, ...BASH },
    { do: 'ask' as const, id: 'q2', mode, questions: [{ id: 'why', question: 'Why?' }] },
    { do: 'approve' as const, id: 'p2', mode, tool_name: 'Edit', input: { file: 'a.ts' } },
  ];

  it.each(['blocking', 'deferred'] as const)(
    'are all shown, answered in any order and delivered once each: %s',
    async (mode) => {
      const run = await bed.play([{ do: 'parallel', asks: asks(mode) }, done]);
      const open = await bed.pending(run.session_id, 4);
      const named = (id: string) => open.find((a) => a.tool_call_id === id) as AskView;
      await bed.decide(named('p2'), { behavior: 'deny', reason: 'no' });
      await bed.answer(named('q2'), { question_id: 'why', freeform_answer: 'because' });
      await bed.answer(named('q1'), { question_id: 'which', selected_option_ids: ['a'] });
      await bed.decide(named('p1'), { behavior: 'allow' });
      const ended = await bed.over(run.run_id);
      expect(bed.heard(ended)).toEqual([
        'q1: answered: Apples',
        'p1: answered: allowed {"command":"npm install"}',
        'q2: answered: because',
        'p2: answered: no',
      ]);
      expect(await deliveries(run.session_id)).toHaveLength(4);
    },
  );

  it('let the agent stop when the blocking one of a blocking and a deferred ask has ended', async () => {
    const [question, approval] = asks('deferred');
    const run = await bed.play([
      {
        do: 'parallel',
        asks: [{ ...(question as Step & { do: 'ask' }), mode: 'blocking' }, approval as Step & { do: 'approve' }],
      },
      done,
    ]);
    const open = await bed.pending(run.session_id, 2);
    await bed.answer(open.find((a) => a.kind === 'question') as AskView, {
      question_id: 'which',
      selected_option_ids: ['a'],
    });
    await bed.until(async () => ((await bed.events(run.session_id, 'run.released')).length > 0 ? true : undefined));
    await bed.decide(open.find((a) => a.kind === 'approval') as AskView, { behavior: 'allow' });
    expect(bed.heard(await bed.over(run.run_id))).toHaveLength(2);
    expect(await deliveries(run.session_id)).toHaveLength(2);
  });
});

describe('sub-agents', () => {
  const child = (more: Step[] = []): Step => ({
    do: 'subagent',
    id: 'kid',
    script: [
      { do: 'clarify', id: 'c', questions: [WHICH], answered: [{ do: 'say', text: 'parent says {{c}}' }] },
      ...more,
    ],
    afterwards: [{ do: 'complete', text: 'the child was told {{c}}' }],
  });
  const kidOf = (parentRun: string) => `${parentRun}.kid`;

  it('ask their parent, receive the answer by mail, acknowledge it and report', async () => {
    const run = await bed.play([child(), done]);
    const ask = await first(run.session_id);
    const [shown] = (await bed.api.questions.ofSession(run.session_id)).items;
    expect(shown).toMatchObject({ run_kind: 'parent_clarification', requester_session_id: kidOf(run.run_id) });
    await bed.answer(ask, { question_id: 'which', selected_option_ids: ['a'] });
    const summary = await bed.until(async () => {
      const { items } = await bed.api.runs.list({ session_id: run.session_id, status: 'completed' });
      return items.length === 3 ? (await bed.api.sessions.get(run.session_id)).snapshot.last_message : undefined;
    });
    expect(summary).toBe('the child was told Apples');
    const [kid] = (await bed.api.runs.list({ session_id: kidOf(run.run_id) })).items;
    expect(kid?.outputs.map((o) => o.text)).toEqual(['c: answered: Apples', 'parent says Apples']);
    expect((await bed.api.mailbox.list(kidOf(run.run_id))).items).toEqual([]);
    expect(await bed.events(kidOf(run.run_id), 'mailbox.acknowledged')).toHaveLength(1);
    expect(await deliveries(run.session_id)).toHaveLength(1);
  });

  it('receive a cancelled clarification as declined', async () => {
    const run = await bed.play([child(), done]);
    const ask = await first(run.session_id);
    await bed.api.questions.cancel(ask.run_id, ask.ask_id, { justification: 'decide yourself' });
    const kid = await bed.until(async () => {
      const [found] = (await bed.api.runs.list({ session_id: kidOf(run.run_id), status: 'completed' })).items;
      return found;
    });
    expect(bed.heard(kid)).toEqual(['c: declined: decide yourself']);
  });

  it('raise asks of their own, several at once', async () => {
    const script = [1, 2, 3].map(
      (n): Step => ({ do: 'subagent', id: `kid${n}`, script: [{ do: 'ask', id: 'own', questions: [WHICH] }] }),
    );
    const run = await bed.play([...script, done]);
    for (const n of [1, 2, 3]) {
      const ask = await first(`${run.run_id}.kid${n}`);
      await bed.answer(ask, { question_id: 'which', selected_option_ids: [n === 2 ? 'a' : 'b'] });
    }
    for (const n of [1, 2, 3]) {
      const [kid] = (await bed.api.runs.list({ session_id: `${run.run_id}.kid${n}` })).items;
      const ended = await bed.over(kid?.run_id ?? '');
      expect(bed.heard(ended)).toEqual([`own: answered: ${n === 2 ? 'Apples' : 'Bread'}`]);
    }
  });
});

describe('the end of a scripted run', () => {
  it('fails with the error of the script', async () => {
    const ended = await bed.over((await bed.play([{ do: 'fail', error: 'out of ideas' }])).run_id);
    expect(ended).toMatchObject({ status: 'failed', error: 'out of ideas' });
  });

  it('fails with an explanation when the script is malformed', async () => {
    const ended = await bed.over((await bed.play([{ do: 'dance' } as unknown as Step])).run_id);
    expect(ended.status).toBe('failed');
    expect(ended.error).toContain('script');
  });

  it('stops the agent of a run that is cancelled from outside', async () => {
    const run = await bed.play([{ do: 'sleep', ms: 600_000 }]);
    await bed.until(async () => ((await bed.api.runs.get(run.run_id)).status === 'running' ? true : undefined));
    await bed.api.runs.cancel(run.run_id);
    const next = await bed.api.runs.start(run.session_id, { input: { script: [done] } });
    expect((await bed.over(next.run_id)).status).toBe('completed');
    await bed.until(async () => (worker.hosting === 0 ? true : undefined));
  });
});
