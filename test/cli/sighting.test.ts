// What the command line puts in front of a person at a real terminal is on the record as seen; what it gives to a program
// is not. Needs python3 for the pseudo-terminal; without it these tests are skipped by name.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { hasPty, KEYS } from '../support/pty.ts';
import { approval, Inbox, question, WHERE, WHY } from './inbox/test-bed.ts';
import { closeTestBeds, openTestBed, PATIENT, TARGET, type TestBed } from './test-bed.ts';

const whole = (inbox: Inbox): string[] =>
  inbox.effects.flatMap((effect) => (effect.do === 'tell_seen' ? [effect.ask.ask_id] : []));

describe('the inbox without a terminal', () => {
  it('has shown what was whole on the screen from one tick to the next', () => {
    const inbox = new Inbox([approval('ask_1'), question('ask_2')]).later(1000);
    expect(whole(inbox)).toEqual([]);
    expect(whole(inbox.later(1000))).toEqual(['ask_1']);
    // Passed on the way, and back.
    expect(whole(inbox.keys('j', 'k').later(1000))).toEqual(['ask_1', 'ask_1']);
    expect(whole(inbox.keys('j').later(1000))).toEqual(['ask_1', 'ask_1']);
    expect(whole(inbox.later(1000))).toEqual(['ask_1', 'ask_1', 'ask_2']);
  });

  it('has not shown what does not fit, until it is looked at by itself', () => {
    const long = Array.from({ length: 40 }, (_, n) => `echo ${n}`).join('\n');
    const inbox = new Inbox([approval('ask_1', long)]).later(1000).later(1000);
    expect(whole(inbox)).toEqual([]);
    expect(whole(inbox.keys('return').later(1000).later(1000))).toEqual(['ask_1']);
    expect(whole(new Inbox([approval('ask_1')], { rows: 8 }).later(1000).later(1000))).toEqual([]);
  });

  it('has not shown a form before its last question, nor one with a preview that is cut there', () => {
    const long = Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n');
    const previewed = { ...WHERE, options: [{ id: 'staging', label: 'Staging', preview: long }] };
    const cut = new Inbox([question('ask_1', previewed)]).keys('return').later(1000).later(1000);
    expect(cut.shown()).toContain('│ … 28 more lines');
    expect(whole(cut)).toEqual([]);
    const two = new Inbox([question('ask_1', WHERE, WHY)], { rows: 8 }).keys('return').later(1000).later(1000);
    expect(whole(two)).toEqual([]);
    expect(whole(two.keys('return', 'return').later(1000).later(1000))).toEqual(['ask_1']);
  });

  it('has not shown what its help covers, nor what has ended', () => {
    expect(whole(new Inbox([approval('ask_1')]).keys('?').later(1000).later(1000))).toEqual([]);
    expect(whole(new Inbox([approval('ask_1')]).settle('ask_1').later(1000).later(1000))).toEqual([]);
  });
});

describe.skipIf(!hasPty)('at a terminal (needs python3)', PATIENT, () => {
  let bed: TestBed;
  beforeAll(async () => {
    bed = await openTestBed();
  }, PATIENT.timeout);
  afterEach(() => bed.clear());
  afterAll(closeTestBeds);

  const whoSaw = async (id: string) =>
    (await bed.client.asks.get(id)).seen_by?.map(({ by, surface }) => `${by} ${surface}`);

  it('show tells, and says who else has seen it; into a pipe, or as JSON, it tells nothing', async () => {
    const { ask_id } = await (await bed.work()).approval('shown');
    const show = ['approvals', 'show', ask_id];
    expect((await bed.run(show)).code).toBe(0);
    expect(await bed.terminal([...show, '--json']).exited).toBe(0);
    expect(await whoSaw(ask_id)).toEqual([]);
    const { token } = await bed.client.tokens.create({ scope: 'viewer', name: 'mate' });
    await createClient({ url: bed.server.url, token, surface: 'web' }).asks.seen(ask_id);
    const person = bed.terminal(show);
    expect(await person.exited).toBe(0);
    await person.shows(/^seen by {3}mate \(web\) \d+s ago$/m);
    expect(await whoSaw(ask_id)).toEqual(['mate web', 'operator cli']);
    expect(await bed.terminal(show).exited).toBe(0);
    expect((await bed.run(show)).stdout).toMatch(/^seen by {3}mate \(web\) .* ago, operator \(cli\) .* ago$/m);
    expect((await bed.run(['events'])).stdout).toContain(`ask.seen ${ask_id} by operator (cli)`);
  });

  it('the inbox tells what is selected and whole, and of nothing else', async () => {
    const work = await bed.work();
    const [first, second] = [await work.approval('first'), await work.approval('second')];
    const inbox = bed.terminal(['inbox']);
    await expect.poll(() => whoSaw(first.ask_id), PATIENT).toEqual(['operator cli']);
    expect(await whoSaw(second.ask_id)).toEqual([]);
    inbox.type('j');
    await expect.poll(() => whoSaw(second.ask_id), PATIENT).toEqual(['operator cli']);
    inbox.type('q');
    expect(await inbox.exited).toBe(0);
  });

  it('what is told was printed whole: previews to the last line, and in a thread the diff', async () => {
    const preview = Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n');
    const questions = [{ ...TARGET, options: [{ id: 'staging', label: 'Staging', preview }] }];
    const asked = await (await bed.work('previewed')).question('q', { questions, context: 'The freeze ends today.' });
    const work = await bed.work('diffed');
    const gate = await work.approval('a', { input: { command: 'make', timeout_ms: 77 }, diff: '+added line' });
    for (const [args, ...texts] of [
      [['questions', 'show', asked.ask_id], 'The freeze ends today.', 'line 39'],
      [['threads', 'show', 'previewed'], 'The freeze ends today.', 'line 39', 'Reply with a number'],
      [['threads', 'show', 'diffed'], '$ make', 'timeout_ms: 77', '+added line', 'Anything else denies.'],
    ] as const) {
      const { stdout } = await bed.run([...args]);
      for (const text of texts) expect(stdout).toContain(text);
    }
    expect(await bed.terminal(['threads', 'show', 'diffed']).exited).toBe(0);
    expect(await whoSaw(gate.ask_id)).toEqual(['operator cli']);
    const both = bed.terminal(['run', 'mock', 'x', '--interactive', '--json']);
    expect(await both.exited).toBe(2);
    await both.shows('"exit":"usage"');
  });

  it('of several questions are told when the last is asked', async () => {
    const questions = [TARGET, { ...TARGET, id: 'second', question: 'And then?' }];
    const { ask_id } = await (await bed.work()).question('two', { questions });
    const person = bed.terminal(['questions', 'answer', ask_id, '--interactive']);
    await person.shows('Choose one');
    expect(await whoSaw(ask_id)).toEqual([]);
    person.type('1\r\r');
    await person.shows('And then?');
    await expect.poll(() => whoSaw(ask_id), PATIENT).toEqual(['operator cli']);
    await person.end();
  });

  it('prompts, runs and threads tell', async () => {
    const asked = await (await bed.work()).question('asked');
    const person = bed.terminal(['questions', 'answer', asked.ask_id, '--interactive']);
    await expect.poll(() => whoSaw(asked.ask_id), PATIENT).toEqual(['operator cli']);
    await person.end();

    for (const args of [
      ['runs', 'show', '--session-id'],
      ['threads', 'show'],
      ['threads', 'follow'],
    ]) {
      const work = await bed.work();
      const ask = await work.question('printed');
      const command = bed.terminal([...args, work.sessionId]);
      await expect.poll(() => whoSaw(ask.ask_id), PATIENT).toEqual(['operator cli']);
      await command.end();
    }
  });

  it('run shows each of several asks before it asks about it', async () => {
    const approve = (id: string) => ({ do: 'approve', id, tool_name: 'Bash', input: { command: `make ${id}` } });
    const script = [{ do: 'parallel', asks: [approve('one'), approve('two')] }];
    const run = ['run', 'mock', '--session-id', 'several', '--input-json', JSON.stringify({ script })];
    const person = bed.terminal([...run, '--interactive']);
    await person.shows(/\$ make (one|two)[\s\S]*Allow Bash\?/);
    const pending = async () => (await bed.client.asks.list({ session_id: 'several', status: 'pending' })).items;
    await expect.poll(pending, PATIENT).toHaveLength(2);
    const items = await pending();
    const isShown = (id: string) => person.screen().some((row) => row.includes(`$ make ${id}`));
    const [first, second] = isShown('one') ? ['one', 'two'] : ['two', 'one'];
    const idOf = (call: string) => items.find((ask) => ask.tool_call_id === call)?.ask_id ?? '';
    await expect.poll(() => whoSaw(idOf(first)), PATIENT).toEqual(['operator cli']);
    expect([isShown(second), await whoSaw(idOf(second))]).toEqual([false, []]);
    person.type(`${KEYS.up}${KEYS.up}${KEYS.enter}`);
    await person.shows(new RegExp(`\\$ make ${second}[\\s\\S]*Allow Bash\\?`));
    await expect.poll(() => whoSaw(idOf(second)), PATIENT).toEqual(['operator cli']);
    await person.end();
  });
});
