// What an MCP server of Claude Code is told: an accept only for what a person accepted, as it was shown, and once; and
// nothing at all when nobody waits for it any more.
import { describe, expect, it } from 'vitest';
import type { AgentContext } from '../../../src/agents/agent.ts';
import { createElicitations, thatCounted } from '../../../src/agents/claude/elicitations.ts';
import type { Elicited } from '../../../src/agents/kit/elicitation.ts';
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

/** A person who does these things, one after the other. */
function scene(does: ((shown: Shown) => unknown)[], known: AskView[] = []) {
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
  return { elicitations: createElicitations(context as unknown as AgentContext, known), shown, said, withdrawn };
}

const told = (asked: Elicited, outcome: (shown: Shown) => unknown) =>
  scene([outcome]).elicitations.answer('r1', asked, NOW);

describe('what an MCP server asks', () => {
  it('is accepted only as a person accepted it', async () => {
    expect(await told(FORM, () => filledIn('3'))).toEqual({ action: 'accept', content: { count: 3 } });
    expect(await told(PAGE, allowed)).toEqual({ action: 'accept' });
    expect(await told(EMPTY, allowed)).toEqual({ action: 'accept', content: {} });
    expect(await told(FORM, () => ({ status: 'declined' }))).toEqual({ action: 'decline' });
    expect(await told(PAGE, () => ({ status: 'answered', allowed: false }))).toEqual({ action: 'decline' });
    for (const status of ['cancelled', 'expired', 'failed', 'held'])
      for (const asked of [FORM, PAGE, EMPTY])
        expect(await told(asked, () => ({ status, allowed: false }))).toEqual({ action: 'cancel' });
  });

  it('is not accepted as a person changed it: there is no room for that', async () => {
    const change = () => ({ status: 'answered', allowed: true, input: { url: 'https://example.com/other' } });
    const { elicitations, said } = scene([change]);
    expect(await elicitations.answer('r1', PAGE, NOW)).toEqual({ action: 'decline' });
    expect(said).toEqual([expect.stringContaining('only as it is')]);
  });

  it('is asked again, with the reason, until what was filled in is what the form wants', async () => {
    const { elicitations, shown } = scene([() => filledIn('many'), () => filledIn('10'), () => filledIn('9')]);
    expect(await elicitations.answer('r1', FORM, NOW)).toEqual({ action: 'accept', content: { count: 9 } });
    const id = shown[0]?.id;
    expect(shown.map((spec) => spec.id)).toEqual([id, `${id}~2`, `${id}~3`]);
    expect(shown.map(({ context }) => context)).toEqual([
      'demo: How many?',
      'demo: How many?\n\n“count” needs a whole number to 9.',
      'demo: How many?\n\n“count” must be a whole number to 9.',
    ]);
  });

  it('is not asked where its message could not be shown whole', async () => {
    const { elicitations, shown, said } = scene([() => filledIn('3')]);
    const long = { ...FORM, message: 'x'.repeat(10_001) };
    expect(await elicitations.answer('r1', long, NOW)).toEqual({ action: 'cancel' });
    expect([shown, said]).toEqual([[], [expect.stringContaining('too long')]]);
  });

  it('is told again after a crash only where the decision counted', () => {
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
    expect(thatCounted([changed, form('elicitation-3', 'How many?'), ...counts])).toEqual(counts);
  });

  it('has a name by what is asked: the same in another process, another one for anything else', async () => {
    const namesOf = async (...asked: Elicited[]) => {
      const { elicitations, shown } = scene(asked.map(() => () => ({ status: 'declined' })));
      for (const [i, one] of asked.entries()) await elicitations.answer(`r${i}`, one, NOW);
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
  ])('finds its ask again when that was left %s, once', async (_, answer, delivery) => {
    const { shown: before, elicitations: first } = scene([allowed]);
    await first.answer('r1', PAGE, NOW);
    const id = before[0]?.id as string;
    const request = { tool_name: 'mcp__demo', input: before[0]?.input, reason: 'as it was' };
    const left = { tool_call_id: id, kind: 'approval', mode: 'blocking', request, answer, delivery };
    const { elicitations, shown } = scene([allowed, allowed], [left as unknown as AskView]);
    await elicitations.answer('r1', PAGE, NOW);
    await elicitations.answer('r2', PAGE, NOW);
    expect(shown).toMatchObject([{ id, reason: 'as it was' }, { id: `${id}~2` }]);
  });

  it('is not found again once it was used', async () => {
    const { shown: before, elicitations: first } = scene([allowed]);
    await first.answer('r1', PAGE, NOW);
    const used = { tool_call_id: before[0]?.id, kind: 'approval', answer: {}, delivery: { state: 'delivered' } };
    const { elicitations, shown } = scene([allowed], [used as unknown as AskView]);
    await elicitations.answer('r1', PAGE, NOW);
    expect(shown[0]?.id).toBe(`${before[0]?.id}~2`);
  });

  it('is taken back when nobody waits for it, also when that is heard before it was stored', async () => {
    const stored = Promise.withResolvers<void>();
    const { elicitations, shown, withdrawn } = scene([() => stored.promise]);
    const replying = elicitations.answer('r1', FORM, NOW);
    expect(elicitations.owes()).toBe(true);
    elicitations.takenBack('another');
    elicitations.takenBack('r1');
    expect(withdrawn).toEqual([]);
    stored.resolve();
    expect(await replying).toBeUndefined();
    expect(withdrawn).toEqual([`ask of ${shown[0]?.id}`]);
    expect(elicitations.owes()).toBe(false);
  });

  it('stays as it is when the process is gone', async () => {
    const { elicitations, withdrawn } = scene([() => elicitations.close()]);
    expect(await elicitations.answer('r1', FORM, NOW)).toBeUndefined();
    expect(withdrawn).toEqual([]);
  });

  it('ends as cancelled, and somebody is told, where nobody can be shown it', async () => {
    const refuse = () => {
      throw new HoldpointProblem(400, { type: '', title: '', status: 400, detail: 'too many', domain: '', code: 'x' });
    };
    const { elicitations, said } = scene([refuse]);
    expect(await elicitations.answer('r1', FORM, NOW)).toEqual({ action: 'cancel' });
    const nested = { ...FORM, requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } };
    expect(await elicitations.answer('r2', nested, NOW)).toEqual({ action: 'cancel' });
    expect(await elicitations.answer('r3', { ...PAGE, url: undefined }, NOW)).toEqual({ action: 'cancel' });
    expect(said).toEqual([
      expect.stringContaining('too many'),
      expect.stringContaining('not a form'),
      expect.stringContaining('not a form'),
    ]);
  });

  it('is no answer where Holdpoint itself fails: that ends the talk', async () => {
    const lost = () => {
      throw new Error('the server is gone');
    };
    await expect(told(FORM, lost)).rejects.toThrow('the server is gone');
  });
});
