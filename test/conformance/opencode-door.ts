// What the published client of OpenCode does at the door with the asks of an agent that works: lists, decides, answers and
// rejects them, live, and what the agent's model is told of that. The same for every agent.
import { expect, it } from 'vitest';
import type { RunView } from '../../src/core/views.ts';
import { follow, type Sdk } from '../server/opencode/test-bed.ts';
import { appendTo, type Plan } from './agent.ts';

/** A run whose model makes the calls of a plan. */
export interface PlannedRun {
  sessionId: string;
  over(): Promise<RunView>;
  /** How often the command that appends to this file has run. */
  timesRun(name: string): Promise<number>;
  /** Everything that the model has received, as text. */
  received(): Promise<string>;
}

export interface DoorFixture {
  client(): Promise<Sdk>;
  begin(plan: Plan): Promise<PlannedRun>;
}

const call = (id: string, name = id) => [{ id: `call_${id}`, command: appendTo(name) }];
const COLOUR = { question: 'Which colour?', options: ['Red', 'Blue'] };

export function opencodeDoor({ client, begin }: DoorFixture): void {
  /** Begins after the stream, and gives the request of the run as the stream and the list show it. */
  async function asked(plan: Plan) {
    const sdk = await client();
    const stream = await follow(sdk);
    const run = await begin(plan);
    const isOfRun = ({ sessionID }: { sessionID: string }) => sessionID.endsWith(run.sessionId);
    const permission = async () => {
      const { properties } = await stream.until('permission.asked', (event) => isOfRun(event.properties));
      expect((await sdk.permission.list()).data?.filter(isOfRun)).toEqual([properties]);
      return properties;
    };
    const question = async () => {
      const { properties } = await stream.until('question.asked', (event) => isOfRun(event.properties));
      expect((await sdk.question.list()).data?.filter(isOfRun)).toEqual([properties]);
      return properties;
    };
    return { sdk, stream, run, permission, question };
  }

  it('allows a command once: it runs once, and every client is sent the reply', async () => {
    const { sdk, stream, run, permission } = await asked([call('once')]);
    const { id: requestID, permission: name, patterns } = await permission();
    expect([name, patterns]).toEqual(['bash', [appendTo('once')]]);
    expect(await run.timesRun('once')).toBe(0);
    expect((await sdk.permission.reply({ requestID, reply: 'once' })).data).toBe(true);
    const { properties } = await stream.until('permission.replied', (e) => e.properties.requestID === requestID);
    expect(properties.reply).toBe('once');
    expect(await run.over()).toMatchObject({ status: 'completed' });
    expect(await run.timesRun('once')).toBe(1);
    expect((await sdk.permission.reply({ requestID, reply: 'reject' })).response?.status).toBe(404);
    stream.stop();
  });

  it('allows a command always: the next identical one runs without being asked', async () => {
    const { sdk, stream, run, permission } = await asked([call('always_1', 'always'), call('always_2', 'always')]);
    const { id: requestID, always } = await permission();
    expect(always).toEqual([appendTo('always')]);
    expect((await sdk.permission.reply({ requestID, reply: 'always' })).data).toBe(true);
    expect(await run.over()).toMatchObject({ status: 'completed' });
    expect(await run.timesRun('always')).toBe(2);
    const again = stream.events.filter((e) => e.type === 'permission.asked' && e.properties.id !== requestID);
    expect(again.filter((e) => JSON.stringify(e).includes(run.sessionId))).toEqual([]);
    stream.stop();
  });

  it('rejects a command with a message, which the model is told', async () => {
    const { sdk, stream, run, permission } = await asked([call('rejected')]);
    const { id: requestID } = await permission();
    const message = 'use the staging folder';
    expect((await sdk.permission.reply({ requestID, reply: 'reject', message })).data).toBe(true);
    await run.over();
    expect([await run.timesRun('rejected'), await run.received()]).toEqual([0, expect.stringContaining(message)]);
    stream.stop();
  });

  it('rejects a command without a message', async () => {
    const { sdk, stream, run, permission } = await asked([call('refused')]);
    const { id: requestID } = await permission();
    expect((await sdk.permission.reply({ requestID, reply: 'reject' })).data).toBe(true);
    await run.over();
    expect(await run.timesRun('refused')).toBe(0);
    stream.stop();
  });

  it('answers a question, and the model has the answer', async () => {
    const { sdk, stream, run, question } = await asked([[{ id: 'call_asked', questions: [COLOUR] }]]);
    const { id: requestID, questions } = await question();
    expect(questions).toMatchObject([{ question: COLOUR.question, options: [{ label: 'Red' }, { label: 'Blue' }] }]);
    expect((await sdk.question.reply({ requestID, answers: [['Blue']] })).data).toBe(true);
    const { properties } = await stream.until('question.replied', (e) => e.properties.requestID === requestID);
    expect(properties.answers).toEqual([['Blue']]);
    expect(await run.over()).toMatchObject({ status: 'completed' });
    expect(await run.received()).toContain('Blue');
    stream.stop();
  });

  it('rejects a question, and the run goes on without an answer', async () => {
    const { sdk, stream, run, question } = await asked([[{ id: 'call_dismissed', questions: [COLOUR] }]]);
    const { id: requestID } = await question();
    expect((await sdk.question.reject({ requestID })).data).toBe(true);
    await stream.until('question.rejected', (e) => e.properties.requestID === requestID);
    await run.over();
    expect(await run.received()).toMatch(/declined/i);
    stream.stop();
  });
}
