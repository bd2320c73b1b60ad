// Replies to elicitations of Claude Code's MCP servers: `accept` only for what a person accepted as it was shown, and no
// reply when the server no longer waits.
// Covers: src/agents/kit/elicitation.ts
import { describe, expect, it } from 'vitest';
import type { AgentContext } from '../../../src/agents/agent.ts';
import { createElicitations, withoutUnusedElicitations } from '../../../src/agents/claude/elicitations.ts';
import type { Elicited } from '../../../src/agents/kit/elicitation.ts';
import { createPendingAsks } from '../../../src/agents/kit/pending-asks.ts';
import type { AskOptions } from '../../../src/client/asking.ts';
import { HoldpointProblem } from '../../../src/client/http.ts';
import type { AskView } from '../../../src/core/views.ts';

const FORM: Elicited = {
  serverName: 'demo',
  message: 'How many?',
  mode: 'form',
  requestedSchema: { type: 'object', properties: { count: { type: 'integer', maximum: 9 } }, required: ['count'] },
};
const PAGE: Elicited = { serverName: 'demo', message: 'Sign in', mode: 'url', url: 'https://example.com/' };
const EMPTY: Elicited = { ...FORM, requestedSchema: { type: 'object', properties: {} } };
const NOW = Promise.resolve();

interface Shown {
  id: string;
  input?: object;
  context?: string;
  mode?: string;
}
const filledIn = (text: string) => ({
  status: 'answered',
  answers: [{ question_id: 'count', selected_option_ids: [], labels: [], values: [], text }],
});
const allowed = ({ input }: Shown) => ({ status: 'answered', allowed: true, input });

/** A person who decides the asks like this, one after the other. */
function setUp(does: ((shown: Shown) => unknown)[], known: AskView[] = []) {
  const shown: Shown[] = [];
  const said: string[] = [];
  const withdrawn: string[] = [];
  const act = async (spec: Shown, { raised, signal }: AskOptions) => {
    shown.push(spec);
    const outcome = await does[shown.length - 1]?.(spec);
    raised?.(`ask of ${spec.id}`);
    signal?.throwIfAborted();
    return outcome;
  };
  const context = {
    ask: act,
    approve: act,
    output: async (text: string) => void said.push(text),
    withdraw: async (askId: string) => void withdrawn.push(askId),
  };
  const pending = createPendingAsks<string>(context as unknown as AgentContext);
  const answer = createElicitations(context as unknown as AgentContext, pending, known);
  return { answer, pending, shown, said, withdrawn };
}

const replyTo = (elicited: Elicited, outcome: (shown: Shown) => unknown) =>
  setUp([outcome]).answer('r1', elicited, NOW);

describe('an elicitation of an MCP server', () => {
  it('is accepted only as a person accepted it', async () => {
    expect(await replyTo(FORM, () => filledIn('3'))).toEqual({ action: 'accept', content: { count: 3 } });
    expect(await replyTo(PAGE, allowed)).toEqual({ action: 'accept' });
    expect(await replyTo(EMPTY, allowed)).toEqual({ action: 'accept', content: {} });
    expect(await replyTo(FORM, () => ({ status: 'declined' }))).toEqual({ action: 'decline' });
    expect(await replyTo(PAGE, () => ({ status: 'answered', allowed: false }))).toEqual({ action: 'decline' });
    for (const status of ['cancelled', 'expired', 'failed', 'held'])
      for (const asked of [FORM, PAGE, EMPTY])
        expect(await replyTo(asked, () => ({ status, allowed: false }))).toEqual({ action: 'cancel' });
  });

  it('is declined when a person changed it, because the reply cannot carry the change', async () => {
    const change = () => ({ status: 'answered', allowed: true, input: { url: 'https://example.com/other' } });
    const { answer, said } = setUp([change]);
    expect(await answer('r1', PAGE, NOW)).toEqual({ action: 'decline' });
    expect(said).toEqual([expect.stringContaining('only as it is')]);
  });

  it('is asked again, with the reason, until the form is filled in correctly', async () => {
    const { answer, shown } = setUp([() => filledIn('many'), () => filledIn('10'), () => filledIn('9')]);
    expect(await answer('r1', FORM, NOW)).toEqual({ action: 'accept', content: { count: 9 } });
    const id = shown[0]?.id;
    expect(shown.map((spec) => spec.id)).toEqual([id, `${id}~2`, `${id}~3`]);
    expect(shown.map(({ context }) => context)).toEqual([
      'demo: How many?',
      'demo: How many?\n\n“count” needs a whole number to 9.',
      'demo: How many?\n\n“count” must be a whole number to 9.',
    ]);
  });

  it('is cancelled unasked when its message is too long to be shown whole', async () => {
    const { answer, shown, said } = setUp([() => filledIn('3')]);
    const long = { ...FORM, message: 'x'.repeat(10_001) };
    expect(await answer('r1', long, NOW)).toEqual({ action: 'cancel' });
    expect([shown, said]).toEqual([[], [expect.stringContaining('too long')]]);
  });

  it('is reported after a crash only if its server got the decision', () => {
    const ask = (tool_call_id: string, kind: string, request: object, answer: object = {}) =>
      ({ tool_call_id, kind, request, answer }) as unknown as AskView;
    const form = (id: string, context: string) => ask(id, 'question', { context });
    const page = (id: string, updated_input?: object) =>
      ask(id, 'approval', { input: { url: 'https://x/' } }, { updated_input });
    const counts = [
      page('elicitation-1'),
      page('elicitation-2', { url: 'https://x/' }),
      ask('toolu_1', 'approval', { input: {} }, { updated_input: { command: 'ls' } }),
      form('elicitation-3~2', 'How many?\n\n“count” needs a whole number.'),
      form('elicitation-4', 'Why?'),
      form('elicitation-4~2', 'Why?'),
    ];
    const changed = page('elicitation-5', { url: 'https://y/' });
    expect(withoutUnusedElicitations([changed, form('elicitation-3', 'How many?'), ...counts])).toEqual(counts);
  });

  it('has an ask id derived from its content, the same in another process', async () => {
    const namesOf = async (...asked: Elicited[]) => {
      const { answer, shown } = setUp(asked.map(() => () => ({ status: 'declined' })));
      for (const [i, one] of asked.entries()) await answer(`r${i}`, one, NOW);
      return shown.map(({ id }) => id);
    };
    const [form, again, page] = await namesOf(FORM, FORM, PAGE);
    expect(again).toBe(`${form}~2`);
    expect(await namesOf(PAGE, FORM)).toEqual([page, form]);
    const others = [
      { ...FORM, message: 'Why?' },
      { ...FORM, serverName: 'other' },
      EMPTY,
      { ...PAGE, url: 'https://x/' },
    ];
    expect(new Set([form, page, ...(await namesOf(...others))]).size).toBe(6);
  });

  it.each([
    ['open', undefined, { state: 'none' }],
    ['answered, and unused', { outcome: 'answered' }, { state: 'due' }],
  ])('gets its earlier ask when that was left %s, once', async (_, given, delivery) => {
    const { shown: before, answer: first } = setUp([allowed]);
    await first('r1', PAGE, NOW);
    const id = before[0]?.id as string;
    const request = { tool_name: 'mcp__demo', input: before[0]?.input, reason: 'as it was' };
    const left = { tool_call_id: id, kind: 'approval', mode: 'blocking', request, answer: given, delivery };
    const { answer, shown } = setUp([allowed, allowed], [left as unknown as AskView]);
    await answer('r1', PAGE, NOW);
    await answer('r2', PAGE, NOW);
    expect(shown).toMatchObject([{ id, reason: 'as it was' }, { id: `${id}~2` }]);
  });

  it('gets a new ask when its earlier one was used', async () => {
    const { shown: before, answer: first } = setUp([allowed]);
    await first('r1', PAGE, NOW);
    const used = { tool_call_id: before[0]?.id, kind: 'approval', answer: {}, delivery: { state: 'delivered' } };
    const { answer, shown } = setUp([allowed], [used as unknown as AskView]);
    await answer('r1', PAGE, NOW);
    expect(shown[0]?.id).toBe(`${before[0]?.id}~2`);
  });

  it('is withdrawn when its request is cancelled, also before its ask was stored', async () => {
    const stored = Promise.withResolvers<void>();
    const { answer, pending, shown, withdrawn } = setUp([() => stored.promise]);
    const replying = answer('r1', FORM, NOW);
    expect(pending.hasUnanswered()).toBe(true);
    pending.get('another')?.withdraw('no');
    pending.get('r1')?.withdraw('cancelled');
    expect(withdrawn).toEqual([]);
    stored.resolve();
    expect(await replying).toBeUndefined();
    expect(withdrawn).toEqual([`ask of ${shown[0]?.id}`]);
    expect(pending.hasUnanswered()).toBe(false);
  });

  it('stays open when the process is gone', async () => {
    const { answer, pending, withdrawn } = setUp([() => pending.close()]);
    expect(await answer('r1', FORM, NOW)).toBeUndefined();
    expect(withdrawn).toEqual([]);
  });

  it('is cancelled and reported when it cannot be shown', async () => {
    const refuse = () => {
      throw new HoldpointProblem(400, { type: '', title: '', status: 400, detail: 'too many', domain: '', code: 'x' });
    };
    const { answer, said } = setUp([refuse]);
    expect(await answer('r1', FORM, NOW)).toEqual({ action: 'cancel' });
    const nested = { ...FORM, requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } };
    expect(await answer('r2', nested, NOW)).toEqual({ action: 'cancel' });
    expect(await answer('r3', { ...PAGE, url: undefined }, NOW)).toEqual({ action: 'cancel' });
    expect(said).toEqual([
      expect.stringContaining('too many'),
      expect.stringContaining('not a form'),
      expect.stringContaining('not a form'),
    ]);
  });

  it('gets no reply when the server fails: that stops the process', async () => {
    const lost = () => {
      throw new Error('the server is gone');
    };
    await expect(replyTo(FORM, lost)).rejects.toThrow('the server is gone');
  });
});
