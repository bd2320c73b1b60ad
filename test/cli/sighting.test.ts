// Sightings: what a person sees at a real terminal is recorded, what a program receives is not. Needs python3 for the
// pseudo-terminal; without it these tests are skipped by name.
// Covers: src/cli/activity-subcommands.ts
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { hasPty, KEYS } from '../support/pty.ts';
import { closeTestBeds, openTestBed, PATIENT, TARGET, type TestBed } from './test-bed.ts';

describe.skipIf(!hasPty)('a sighting at a terminal (needs python3)', PATIENT, () => {
  let bed: TestBed;
  beforeAll(async () => {
    bed = await openTestBed();
  }, PATIENT.timeout);
  afterEach(() => bed.clear());
  afterAll(closeTestBeds);

  const whoSaw = async (id: string) =>
    (await bed.client.asks.get(id)).seen_by?.map(({ by, surface }) => `${by} ${surface}`);

  it('is reported by show, which names earlier ones; not into a pipe or as JSON', async () => {
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

  it('is followed by comments, "I\'m on it" and snooze, which decide nothing', async () => {
    const { ask_id } = await (await bed.work()).approval('discussed');
    const commented = await bed.run(['approvals', 'comment', ask_id, 'yes']);
    expect(commented.stderr).toContain('is not told of comments');
    expect((await bed.run(['approvals', 'take', ask_id])).code).toBe(0);
    expect((await bed.run(['approvals', 'snooze', ask_id, '2h'])).code).toBe(0);
    const wrong = await bed.run(['approvals', 'snooze', ask_id, 'soon']);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('"soon" is no time to snooze for: use 30m, 2h, 3d'),
    ]);
    const { stdout } = await bed.run(['approvals', 'show', ask_id]);
    for (const text of ['operator: yes', /^on it +operator \(cli\)/m, /^snoozed +until /m])
      expect(stdout).toMatch(text);
    expect((await bed.client.asks.get(ask_id)).status).toBe('pending');
  });

  it('is reported by the inbox for the selected ask that is shown in full', async () => {
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

  it('is reported for what was printed in full: previews to the last line, and the diff in a thread', async () => {
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

  it('of several questions is reported when the last one is asked', async () => {
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

  it('is reported by prompts, runs and threads', async () => {
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

  it('is reported by run for each ask when its card is printed', async () => {
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
