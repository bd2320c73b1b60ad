// `run --interactive` in a real pseudo-terminal: several asks at once, one after the other, while others answer too.
// Needs python3 for the pseudo-terminal; without it these tests are skipped by name.
// Covers: src/cli/prompt/answer-ask.ts, src/cli/prompt/prompt-queue.ts
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasPty, KEYS, type Pty } from '../../support/pty.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed } from '../test-bed.ts';

let bed: TestBed;
beforeAll(async () => {
  if (hasPty) bed = await openTestBed();
}, PATIENT.timeout);
afterEach(() => bed?.clear());
afterAll(closeTestBeds);

const approve = (id: string) => ({ do: 'approve', id, tool_name: 'Bash', input: { command: `make ${id}` } });
const ask = (id: string) => ({
  do: 'ask',
  id,
  questions: [
    {
      id: 'q',
      question: `Which ${id}?`,
      options: [
        { id: 'a', label: 'Alpha', recommended: true },
        { id: 'b', label: 'Beta' },
      ],
    },
  ],
});
const ALLOW = `${KEYS.up}${KEYS.up}${KEYS.enter}`;
/** Printed when a prompt is taken away: keys typed now were meant for it, the next prompt is about to appear. */
const SETTLED = 'Settled elsewhere in the meantime.';
let sessions = 0;

/** The mock agent at this work, and what has become of what it asked, by the names above. */
function play(script: object[], before?: string) {
  sessions += 1;
  const session_id = before ?? `interactive-${sessions}`;
  const args = ['run', 'mock', '--session-id', session_id, '--input-json', JSON.stringify({ script }), '--interactive'];
  const person = bed.terminal(args, { rows: 45 });
  const asks = async () => (await bed.client.asks.list({ session_id })).items;
  const answers = async () =>
    Object.fromEntries(
      (await asks()).map(({ tool_call_id, answer }) => [
        tool_call_id,
        answer && (answer.behavior ?? answer.answers?.[0]?.selected_option_ids?.[0] ?? answer.outcome),
      ]),
    );
  /** Another person answers it. */
  async function elsewhere(name: string): Promise<void> {
    const found = (await asks()).find(({ tool_call_id }) => tool_call_id === name);
    const request_id = found?.ask_id ?? '';
    if (found?.kind === 'approval')
      await bed.client.approvals.decideRun(found.run_id, {
        resolutions: [{ request_id, behavior: 'deny', reason: 'no' }],
      });
    else {
      const given = [{ question_id: 'q', selected_option_ids: ['b'] }];
      await bed.client.questions.answerRun(found?.run_id ?? '', { resolution: { request_id, answers: given } });
    }
  }
  const raised = (count: number) => expect.poll(async () => (await asks()).length, PATIENT).toBe(count);
  return { person, session_id, asks, answers, elsewhere, raised };
}

/** Which of them is asked about now, as the prompt under its card says. */
async function shown(person: Pty, names: string[], pattern = 'Allow Bash\\?\\n[\\s\\S]*Deny'): Promise<string> {
  const last = new RegExp(`(${names.join('|')})\\b(?![\\s\\S]*\\$ make)[\\s\\S]*${pattern}`);
  await person.shows(last);
  return last.exec(person.screen().join('\n'))?.[1] ?? '';
}

describe.skipIf(!hasPty)('run --interactive in a terminal (needs python3)', PATIENT, () => {
  it('ignores keys that were meant for a prompt that was closed', async () => {
    const { person, answers, elsewhere, raised } = play([{ do: 'parallel', asks: [approve('one'), approve('two')] }]);
    const first = await shown(person, ['one', 'two']);
    const second = first === 'one' ? 'two' : 'one';
    await raised(2);
    await elsewhere(first);
    await person.shows(SETTLED);
    person.type(ALLOW);
    await person.shows('Keys typed before this appeared are ignored.');
    expect(await answers()).toEqual({ [first]: 'deny', [second]: undefined });
    // Between two prompts the terminal itself may echo the keys, on a line of their own.
    expect(person.screen().join('\n')).toMatch(
      /Settled elsewhere in the meantime\.\n✓ denied by operator \(api\): no\n(\^\[\[A\^\[\[A\n)?! Allow Bash\?\n/,
    );
    await shown(person, [second], 'are ignored\\.[\\s\\S]*Allow Bash\\?\\n[\\s\\S]*Deny');
    person.type(ALLOW);
    expect(await person.exited).toBe(0);
    expect(await answers()).toEqual({ [first]: 'deny', [second]: 'allow' });
  });

  it('ignores an Enter that was meant for a question answered elsewhere', async () => {
    const { person, answers, elsewhere, raised } = play([{ do: 'parallel', asks: [ask('one'), ask('two')] }]);
    await person.shows(/Which (one|two)\?[\s\S]*Decline/);
    await raised(2);
    const first = person.screen().some((row) => row.includes('Which one?')) ? 'one' : 'two';
    const second = first === 'one' ? 'two' : 'one';
    await elsewhere(first);
    await person.shows(SETTLED);
    person.type(KEYS.enter);
    await person.shows(new RegExp(`are ignored\\.[\\s\\S]*Which ${second}[\\s\\S]*Decline`));
    expect(await answers()).toEqual({ [first]: 'b', [second]: undefined });
    person.type(KEYS.enter);
    expect(await person.exited).toBe(0);
    expect(await answers()).toEqual({ [first]: 'b', [second]: 'a' });
  });

  it('ignores what was typed before the first prompt', async () => {
    const { person, answers } = play([{ do: 'say', text: 'at work' }, { do: 'sleep', ms: 1000 }, approve('one')]);
    await person.shows('at work');
    person.type(`${KEYS.enter}${KEYS.enter}`);
    await shown(person, ['one'], 'are ignored\\.[\\s\\S]*Deny');
    expect(await answers()).toEqual({ one: undefined });
    person.type(ALLOW);
    expect(await person.exited).toBe(0);
    expect(await answers()).toEqual({ one: 'allow' });
  });

  it('asks about each of several asks, and shows its outcome before the next', async () => {
    const names = ['one', 'two', 'three'];
    const { person, answers } = play([{ do: 'parallel', asks: names.map(approve) }]);
    const expected: Record<string, string> = {};
    for (const [turn, keys] of [ALLOW, `${KEYS.enter}`, ALLOW].entries()) {
      const name = await shown(
        person,
        names.filter((of) => !(of in expected)),
      );
      person.type(keys);
      if (turn === 1) {
        await person.shows('Reason (sent to the agent)');
        person.type(`not now${KEYS.enter}`);
      }
      expected[name] = turn === 1 ? 'deny' : 'allow';
    }
    expect(await person.exited).toBe(0);
    expect(await answers()).toEqual(expected);
    expect(person.raw()).not.toContain('^[[A');
    const outcomes = person.screen().filter((row) => /^(! Allow|✓)/.test(row));
    expect(outcomes).toEqual([
      '! Allow Bash?',
      '✓ allowed by operator (cli)',
      '! Allow Bash?',
      '✓ denied by operator (cli): not now',
      '! Allow Bash?',
      '✓ allowed by operator (cli)',
    ]);
  });

  it('denies with the words typed at the choice as the reason', async () => {
    const { person, asks } = play([approve('one')]);
    await shown(person, ['one']);
    person.type('no thanks');
    await person.shows('no thanks');
    person.type(KEYS.enter);
    expect(await person.exited).toBe(0);
    expect((await asks())[0]?.answer).toMatchObject({ behavior: 'deny', reason: 'no thanks' });
  });

  it('offers the suggestions of the agent below Deny, and never preselects one', async () => {
    const suggestions = [{ id: 'session-0', label: 'always for this session: make test' }];
    const { person, asks } = play([{ ...approve('one'), suggestions }]);
    await person.shows(/● Deny \(or type the reason\)\n[\s\S]*○ Allow, and also: always for this session: make test/);
    person.type(`${KEYS.down}${KEYS.enter}`);
    expect(await person.exited).toBe(0);
    expect((await asks())[0]?.answer).toMatchObject({ behavior: 'allow', suggestion_ids: ['session-0'] });
  });

  it('reports an ask that settled before its turn, and does not ask about it', async () => {
    const names = ['one', 'two', 'three'];
    const { person, answers, elsewhere, raised } = play([{ do: 'parallel', asks: names.map(approve) }]);
    const first = await shown(person, names);
    await raised(3);
    const [over = '', last = ''] = names.filter((name) => name !== first);
    await elsewhere(over);
    person.type(ALLOW);
    await shown(person, [last]);
    person.type(ALLOW);
    expect(await person.exited).toBe(0);
    expect(await answers()).toEqual({ [first]: 'allow', [over]: 'deny', [last]: 'allow' });
    expect(person.screen()).toContain(`✓ Bash: make ${over}: denied by operator (api): no`);
    expect(person.screen().join('\n')).not.toContain(`$ make ${over}`);
  });

  it('does not ask about asks of earlier runs of its session', async () => {
    const earlier = play([{ do: 'say', text: 'history' }, approve('one')]);
    await shown(earlier.person, ['one']);
    earlier.person.type(ALLOW);
    expect(await earlier.person.exited).toBe(0);
    const { person, answers } = play([approve('two')], earlier.session_id);
    await shown(person, ['two']);
    person.type(ALLOW);
    expect(await person.exited).toBe(0);
    expect(person.raw()).not.toMatch(/history|make one/);
    expect(await answers()).toEqual({ one: 'allow', two: 'allow' });
  });

  it.each([
    ['Ctrl-C', KEYS.ctrlC],
    ['Ctrl-D', KEYS.ctrlD],
    ['Escape', KEYS.escape],
  ])('answers nothing on %s, and exits with 8', async (_, keys) => {
    const { person, answers } = play([approve('one')]);
    await shown(person, ['one']);
    person.type(keys);
    expect(await person.exited).toBe(8);
    expect(person.raw()).toContain('nothing was answered');
    expect(await answers()).toEqual({ one: undefined });
  });
});
