// Threads folded from the log of a real gateway: fixed sequences of events, then random ones that must keep the rules of
// every thread after every event.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ASK_MODES, type AskMode } from '../../src/core/ask.ts';
import type { RaiseAsk } from '../../src/core/bodies.ts';
import type { Event } from '../../src/core/event.ts';
import { RECOVERIES, type Recovery } from '../../src/core/run.ts';
import { createThread, type ThreadItem } from '../../src/core/thread.ts';
import { type OpenGateway, openGateway, outcomeOf, person } from '../support/gateway.ts';
import { idsOf, note, type Told, watched } from './thread-rules.ts';

const agent = person('agent');
const lead = person('lead', 'thread');
const COLOUR = { id: 'colour', question: 'Which colour?', options: ['red', 'blue'].map((id) => ({ id, label: id })) };
const SECRET = { answers: [{ question_id: 'colour', freeform_answer: 'hunter2' }] };

let open: OpenGateway;
let [runId, agentName] = ['', ''];
beforeEach(async () => {
  open = await openGateway();
});
afterEach(() => open.close());

/** The session `s` with a run at work, or waiting for a worker. */
const begin = async (name = 'external', sessionId = 's', more = {}) => {
  await open.gateway.createSession({ session_id: sessionId, agent: name, ...more });
  runId = (await open.gateway.startRun({ sessionId, body: { input: {} }, actor: agent })).view.run_id;
};
const claim = (recovery: Recovery = 'none') =>
  open.gateway.waitForWork({ worker_id: 'w', agents: [{ name: 'mock', recovery }] });
const raise = async (body: RaiseAsk) => (await open.gateway.raiseAsk({ runId, body, actor: agent })).view.ask_id;
const question = (call: string, mode: AskMode = 'blocking', more = {}) =>
  raise({ kind: 'question', tool_call_id: call, mode, questions: [{ ...COLOUR, question: `${call}?`, ...more }] });
const approval = (call: string, more = {}) =>
  raise({ kind: 'approval', tool_call_id: call, tool_name: 'Bash', input: { command: call }, ...more });
const resolve = (request_id: string, given: object) =>
  open.gateway.answerForRun({ runId, resolution: { request_id, ...given }, actor: lead });
const answer = (askId: string, option = 'red') =>
  resolve(askId, { answers: [{ question_id: 'colour', selected_option_ids: [option] }] });
const cancel = (requestId: string, justification: string) =>
  open.gateway.cancelQuestion({ runId, requestId, justification, actor: lead });
const pass = async (ms: number) => {
  open.advance(ms);
  await open.sweep();
};
const allow = (request_id: string) => ({ request_id, behavior: 'allow' as const });
const deny = (request_id: string, reason?: string) => ({ request_id, behavior: 'deny' as const, reason });
const decide = (...resolutions: (ReturnType<typeof allow> | ReturnType<typeof deny>)[]) =>
  open.gateway.approveForRun({ runId, resolutions, actor: lead });
const clarify = async (call: string) => {
  await open.gateway.createSession({ session_id: 'child', agent: 'external', parent_session_id: 's' });
  const { view: run } = await open.gateway.startRun({ sessionId: 'child', body: { input: {} }, actor: agent });
  const body = { tool_call_id: call, questions: [COLOUR] };
  return (await open.gateway.clarify({ runId: run.run_id, body, actor: agent })).view;
};
const has = (askId: string) => open.gateway.acknowledge({ askId, state: 'delivered' });
const say = (text: string) => open.gateway.postOutput({ runId, body: { text }, actor: agent });
const done = () => open.gateway.completeRun({ runId, actor: agent });
const eventsOf = async (sessionId: string) => (await open.gateway.events({ sessionId }, 0, 100_000)).events;

/** The items so far in short: `? what is asked`, `! how it ended`, what was said. Checks what every thread must keep to. */
const chat = async (sessionId = 's') =>
  watched(await eventsOf(sessionId))
    .filter(({ metadata }) => metadata?.block === undefined)
    .map(short);

const lost = (why: string) => `! ✗ Answered: red. The agent did not take it: ${why}`;

function short({ content, metadata }: ThreadItem): string {
  const text = (content[0] as { text: string }).text;
  if (metadata?.type === 'pending_prompt') return `? ${text.split('\n')[1]}`;
  if (metadata?.type === 'pending_prompt_resolved') return `! ${text}`;
  return metadata?.type === 'turn_end' ? `end ${text}` : text;
}

describe('one prompt', () => {
  beforeEach(() => begin());

  it('shows a prompt at once, its resolution when the answer is delivered, and the outputs of the meantime after it', async () => {
    await say('let me see');
    const ask = await question('q');
    await say('one');
    expect(await chat()).toEqual(['let me see', '? q?']);
    await answer(ask, 'blue');
    await say('two');
    expect(await chat()).toEqual(['let me see', '? q?']);
    await has(ask);
    await done();
    expect(await chat()).toEqual(['let me see', '? q?', '! ✓ Answered: blue', 'one', 'two', 'end completed']);
  });

  it('resolves a prompt whose answer was never acknowledged by the end of its run', async () => {
    const fateOf = async (end: () => Promise<unknown>) => {
      await answer(await question('q'));
      await end();
      await begin();
      return (await chat()).slice(-3);
    };
    expect(await fateOf(done)).toEqual(['? q?', '! ✓ Answered: red', 'end completed']);
    const failure = () => open.gateway.failRun({ runId, error: 'broken', actor: agent });
    expect(await fateOf(failure)).toEqual(['? q?', lost('broken'), 'end failed']);
    const stop = () => open.gateway.interruptSession({ sessionId: 's', reason: 'stop', actor: lead });
    expect(await fateOf(stop)).toEqual(['? q?', lost('stop'), 'end interrupted']);
  });

  it('shows an undeliverable answer with its reason', async () => {
    const ask = await question('q');
    await answer(ask);
    await open.gateway.acknowledge({ askId: ask, state: 'undeliverable', reason: 'the tool call is gone' });
    expect(await chat()).toEqual(['? q?', lost('the tool call is gone')]);
  });

  it('resolves a prompt at once when it ends without an answer', async () => {
    await resolve(await question('q'), { declined: true });
    await approval('rm', { expires_after_ms: 9 });
    await pass(10);
    expect(await chat()).toEqual(['? q?', '! ✗ Cancelled: declined', '? Bash: rm', '! ✗ Cancelled: expired']);
    await cancel(await question('last'), 'no more');
    expect((await chat()).slice(4)).toEqual(['? last?', '! ✗ Cancelled: no more', 'end cancelled']);
  });

  it('shows a denial with its reason, and no value of a secret', async () => {
    const rm = await approval('rm');
    await decide(deny(rm, 'use trash'));
    await has(rm);
    const key = await question('key', 'blocking', { secret: true, options: [] });
    await resolve(key, SECRET);
    await has(key);
    expect(await chat()).toEqual(['? Bash: rm', '! ✓ Answered: Deny (use trash)', '? key?', '! ✓ Answered: (secret)']);
    expect(JSON.stringify(watched(await eventsOf('s')))).not.toContain('hunter2');
  });
});

describe('several prompts of a run', () => {
  beforeEach(() => begin());

  it('shows several prompts one after another, the oldest first', async () => {
    const [a, b] = [await question('a'), await approval('b')];
    await question('c');
    await answer(a);
    await has(a);
    await decide(allow(b));
    await has(b);
    expect(await chat()).toEqual(['? a?', '! ✓ Answered: red', '? Bash: b', '! ✓ Answered: Approve', '? c?']);
  });

  it('never shows a queued prompt that was answered elsewhere meanwhile', async () => {
    const [a, b, c] = [await question('a'), await approval('b'), await approval('c')];
    await decide(allow(b), deny(c));
    await answer(a);
    await has(a);
    expect(await chat()).toEqual(['? a?', '! ✓ Answered: red']);
  });

  it('shows the answers of queued prompts when another question ends the run', async () => {
    const first = await question('a');
    await question('b', 'blocking', { options: [] });
    await raise({ kind: 'question', tool_call_id: 'c', questions: [COLOUR], expires_after_ms: 9 });
    await answer(first);
    await pass(10);
    const why = 'another question of the run expired';
    expect(await chat()).toEqual(['? a?', lost(why), 'end cancelled']);
    const { views } = await open.gateway.listAsks({ runId }, { limit: 9 });
    expect(views.map((ask) => [ask.status, ask.answer?.reason])).toEqual([
      ['answered', undefined],
      ['cancelled', why],
      ['expired', 'expired'],
    ]);
  });

  it('shows no queued prompt when the run ends', async () => {
    for (const call of ['a', 'b', 'c']) await question(call);
    await open.gateway.failRun({ runId, error: 'broken', actor: agent });
    expect(await chat()).toEqual(['? a?', '! ✗ Failed: broken', 'end failed']);
  });

  it('shows the next prompt when an approval expires or a form is cancelled, which do not end the run', async () => {
    await approval('a', { expires_after_ms: 5 });
    await approval('z');
    const form = await question('form', 'form');
    await pass(5);
    await cancel(form, 'later');
    expect(await chat()).toEqual(['? Bash: a', '! ✗ Cancelled: expired', '? Bash: z']);
  });

  it('shows the next prompt without waiting for an answer that is delivered only after it', async () => {
    await begin('mock', 'm');
    await claim('resume');
    const [a, b] = [await question('a', 'deferred'), await approval('b', { mode: 'deferred' })];
    await say('busy');
    await answer(a);
    expect(await chat('m')).toEqual(['? a?', '? Bash: b']);
    await decide(allow(b));
    await has(b);
    await has(a);
    expect((await chat('m')).slice(2)).toEqual(['! ✓ Answered: Approve', '! ✓ Answered: red', 'busy']);
  });

  it('shows no prompt for an approval under the permission autonomous', async () => {
    await begin('external', 'auto', { permissions: 'autonomous' });
    await approval('rm');
    expect(await chat('auto')).toEqual([]);
  });
});

describe('an answer that another run carries', () => {
  it.each(['form', 'restart'] as const)(
    'resolves the prompt of a %s when the run that carries its answer begins',
    async (mode) => {
      await begin('mock');
      await claim();
      await answer(await question('q', mode));
      expect(await chat()).toEqual(['? q?']);
      await claim();
      expect(await chat()).toEqual(['? q?', '! ✓ Answered: red', 'end completed']);
    },
  );

  it('shows the answer as lost when the run that carries it is stopped before it began', async () => {
    await begin('mock');
    await claim();
    const { view } = await answer(await question('q', 'form'));
    await open.gateway.cancelRun({ runId: view.run_id, reason: 'too late', actor: lead });
    expect(await chat()).toEqual(['? q?', lost('too late'), 'end completed', 'end cancelled']);
  });

  it('resolves a secret form when the agent acknowledges it, at the latest when the carrying run ends', async () => {
    await begin();
    const { view } = await resolve(await question('key', 'form', { secret: true, options: [] }), SECRET);
    expect(await chat()).toEqual(['? key?']);
    runId = view.run_id;
    await done();
    expect(await chat()).toEqual(['? key?', '! ✓ Answered: (secret)', 'end completed', 'end completed']);
  });
});

describe('a worker that is lost', () => {
  beforeEach(() => begin('mock'));

  it('cancels the prompts of a lost worker, each once, when its agent cannot be resumed', async () => {
    await claim('none');
    await question('a');
    await approval('b');
    const form = await question('form', 'form');
    await open.restart(['w']);
    expect(await chat()).toEqual(['? a?', '! ✗ Cancelled: the worker was lost', '? form?']);
    await answer(form);
    await claim();
    expect((await chat()).slice(3)).toEqual(['! ✓ Answered: red', 'end completed']);
  });

  it('keeps the prompts of a lost worker open when its agent can be resumed, and delivers an answer given meanwhile', async () => {
    await claim('resume');
    const ask = await question('q');
    await open.restart(['w']);
    await answer(ask);
    expect(await chat()).toEqual(['? q?']);
    expect((await claim('resume'))?.due.map((due) => due.ask_id)).toEqual([ask]);
    await has(ask);
    const [next] = [await question('next'), await question('last')];
    await answer(next);
    expect(await chat()).toEqual(['? q?', '! ✓ Answered: red', '? next?']);
  });

  it.each(['deferred', 'blocking', 'released'] as const)(
    'keeps several prompts of a lost worker to be answered in order: %s',
    async (how) => {
      await claim('resume');
      const mode = how === 'deferred' ? 'deferred' : 'blocking';
      const [a, b] = [await question('a', mode), await question('b', mode)];
      if (how === 'released') await open.gateway.releaseLease(runId, { worker_id: 'w', lease_epoch: 1 });
      else await open.restart(['w']);
      await answer(a);
      expect(await chat()).toEqual(['? a?', '? b?']);
      await answer(b, 'blue');
      await claim('resume');
      await has(a);
      await say('thanks');
      await has(b);
      expect(await chat()).toEqual(['? a?', '? b?', '! ✓ Answered: red', '! ✓ Answered: blue', 'thanks']);
    },
  );
});

it('shows a clarification in the parent thread and resolves it when its answer is posted to the child', async () => {
  await open.gateway.createSession({ session_id: 's', agent: 'external' });
  const view = await clarify('c');
  expect(await chat()).toEqual(['? Which colour?']);
  runId = view.run_id;
  await answer(view.request_id);
  const note = 'Clarification answered: Which colour?: red';
  expect(await chat()).toEqual(['? Which colour?', '! ✓ Answered: red', note, 'end completed']);
});

it('shows the posts of people at once, and the outputs of an agent after the open prompt', async () => {
  await begin();
  const ask = await question('q');
  const log = await eventsOf('s');
  const posted = (sessionSeq: number, role: string): Event => {
    const data = JSON.stringify({ role, author: role, content: [{ type: 'text', text: `by a ${role}` }] });
    return { ...(log[0] as Event), seq: 9000 + sessionSeq, sessionSeq, type: 'item.posted', data };
  };
  const thread = createThread({ agentId: 'a', workFolder: undefined });
  const items = [...log, posted(90, 'worker'), posted(91, 'user')].flatMap((event) => thread.take(event));
  expect(items.map(short)).toEqual(['? q?', 'by a user']);
  expect(items[1]).toMatchObject({ role: 'user', author: 'user', id: 'itm_s_91_1' });
  expect(thread.prompt?.id).toBe(ask);
});

describe('the mode of an ask', () => {
  const fold = (events: readonly Event[]) => {
    const thread = createThread({ agentId: 'agent', workFolder: undefined });
    return events.flatMap((event) => thread.take(event).map(short));
  };
  const story = async () => {
    await begin();
    const [first] = [await question('a', 'deferred'), await question('b', 'deferred')];
    await answer(first);
    return eventsOf('s');
  };

  it('reads the mode of an ask from the event that carries the request', async () => {
    const log = (await story()).filter(({ type }) => type !== 'ask.raised');
    expect(fold(log)).toEqual(['? a?', '? b?']);
  });

  it('reads the mode of an ask from `ask.raised` in the log of an earlier version', async () => {
    const log = (await story()).map((event) => {
      const { mode: _, ...data } = JSON.parse(event.data);
      return event.type === 'waiting_for_user_question' ? { ...event, data: JSON.stringify(data) } : event;
    });
    expect(fold(log)).toEqual(['? a?', '? b?']);
  });
});

type Act = (n: number, pendingId: string, dueId: string) => Promise<unknown>;
const often = (act: Act): Act[] => [act, act, act, act];
const ACTS: Act[] = [
  ...often((n) => question(`q${n}`, ASK_MODES[n % 4])),
  ...often((n) => approval(`a${n}`, n % 3 === 0 ? { expires_after_ms: 50 } : {})),
  ...often((n) => say(`said ${n}`)),
  ...often((_, id) => answer(id)),
  ...often((_, id) => decide(allow(id))),
  ...often((_, __, id) => has(id)),
  ...often((n) => claim(RECOVERIES[n % 3])),
  (_, id) => resolve(id, { declined: true }),
  (_, id) => cancel(id, 'no'),
  (_, __, askId) => open.gateway.acknowledge({ askId, state: 'undeliverable' }),
  () => pass(60),
  () => open.restart(['w']),
  () => begin(agentName),
  (n) => clarify(`c${n}`),
  () => done(),
  () => open.gateway.failRun({ runId, actor: agent }),
  () => open.gateway.cancelRun({ runId, actor: lead }),
];

it('keeps the rules of a thread after every event of any random sequence', async () => {
  let prompts = 0;
  const acts = fc.array(fc.tuple(fc.constantFrom(...ACTS), fc.nat({ max: 99 })), { maxLength: 50, size: 'max' });
  await fc.assert(
    fc.asyncProperty(acts, fc.constantFrom('mock', 'external'), async (story, name) => {
      await open.close();
      open = await openGateway();
      agentName = name;
      await begin(name);
      for (const [act, n] of story) {
        const told: Told[] = [];
        for (const event of await eventsOf('s')) note(told, event);
        const pick = (asks: Told[]) => asks[n % asks.length]?.id ?? 'none';
        runId = (await open.gateway.showSession('s')).active_run_id ?? runId;
        const due = told.filter((ask) => ask.answer && !ask.isSettled);
        await outcomeOf(act(n, pick(told.filter((ask) => !ask.answer)), pick(due)));
      }
      prompts += idsOf(watched(await eventsOf('s')), 'pending_prompt').length;
    }),
    { numRuns: 100 },
  );
  expect(prompts).toBeGreaterThan(60);
}, 120_000);
