// The conformance suite of an agent adapter: what every agent must get right between a tool call and a person's answer,
// whatever its protocol. A fixture makes the agent's model call tools and tells what the model received. Server, worker
// and agent are processes of their own, so that each can be killed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HoldpointProblem } from '../../src/client/http.ts';
import type { AskView, RunView } from '../../src/core/views.ts';
import { endEverything, type Holdpoint, type Started, spawnHoldpoint, startHoldpoint } from '../support/process.ts';
import { environmentOf, processesOf } from '../support/process-table.ts';
import { LONG_LEASE_MS, TestBed } from '../support/test-bed.ts';

/** A tool call of the model: a command that needs an approval, or questions. */
export type PlannedCall = { id: string; command: string } | { id: string; questions: PlannedQuestion[] };
export interface PlannedQuestion {
  question: string;
  options: string[];
}

/** What the model does, message by message; the calls of one message are made together. */
export type Plan = readonly (readonly PlannedCall[])[];

export interface PreparedRun {
  folder?: string;
  input: Record<string, unknown>;
}

export interface AgentFixture {
  agent: string;
  /** Whether the calls of one message are asked for at the same time. */
  isParallel: boolean;
  /** Whether the model has to make a call again: after a crash, or after its input was changed. */
  repeatsAfterCrash: boolean;
  repeatsAfterEdit: boolean;
  /** Whether single questions of a set may be left out; otherwise the set is declined as a whole. */
  skipsQuestions: boolean;
  /** Set where a denial also ends the calls of the message that the agent has not asked for yet. */
  deniesTheRest?: true;
  /** Set where the agent's model has no tool to ask questions with. */
  asksNoQuestions?: true;
  /** Whether it replies to a comment while its call waits; a stand-in has no model that could. */
  repliesToComments?: boolean;
  /** Whether the agent is a process of its own. */
  hasProcess: boolean;
  open(): Promise<{ env: Record<string, string> }>;
  prepare(plan: Plan): Promise<PreparedRun>;
  /** Everything that the model has received, as text. `run` is as the server has it now. */
  received(run: RunView, prepared: PreparedRun): Promise<string>;
  /** How often the command that appends to this file has run. */
  timesRun(name: string, run: RunView, prepared: PreparedRun): Promise<number>;
  /** Has the agent settle an open request without an answer from Holdpoint, where it can. */
  settleItself?(callId: string, prepared: PreparedRun): void;
  close(): Promise<void>;
}

/** Appends a line, so that a file tells how often it ran. */
export const appendTo = (name: string): string => `echo ran >> ${name}`;
const call = (id: string, name = id): PlannedCall => ({ id: `call_${id}`, command: appendTo(name) });
/** What the model of a fixture does instead of replying to a comment that says "do it now". */
export const TEMPTED: PlannedCall = call('tempted');
const QUESTIONS: PlannedQuestion[] = [
  { question: 'Which colour?', options: ['Red', 'Blue'] },
  { question: 'Which size?', options: ['Small', 'Large'] },
];

export function agentConformance(title: string, fixture: AgentFixture): void {
  describe(title, () => {
    let env: Record<string, string>;
    let server: Holdpoint;
    let worker: Started & { id: string };
    let bed: TestBed;
    let workers = 0;
    const started: RunView[] = [];

    const startWorker = (of: Holdpoint) => {
      workers += 1;
      const id = `worker-${workers}`;
      const args = ['--url', of.url, '--token', of.token, '--id', id, '--lease-ms', String(LONG_LEASE_MS)];
      return { ...spawnHoldpoint({ command: ['worker'], args, data: of.data, via: 'main', env }), id };
    };

    beforeAll(async () => {
      ({ env } = await fixture.open());
      server = await startHoldpoint({ via: 'main', args: ['--no-worker'], env });
      bed = new TestBed(server.url, server.token);
      worker = startWorker(server);
    });
    afterAll(async () => {
      await worker?.end('SIGTERM');
      const left = started.flatMap((run) => processesOf(run));
      await endEverything();
      await fixture.close();
      expect(left, 'processes of ended runs').toEqual([]);
    });

    async function begin(plan: Plan) {
      const prepared = await fixture.prepare(plan);
      const { session_id } = await bed.api.sessions.create({
        agent: fixture.agent,
        ...(prepared.folder && { work_folder: prepared.folder }),
      });
      const run = await bed.api.runs.start(session_id, { input: prepared.input });
      started.push(run);
      return {
        run,
        timesRun: async (name: string) => fixture.timesRun(name, await bed.api.runs.get(run.run_id), prepared),
        received: async () => fixture.received(await bed.api.runs.get(run.run_id), prepared),
        settleItself: (callId: string) => fixture.settleItself?.(callId, prepared),
      };
    }

    /** So many open asks of the run; fails when it has ended without them. */
    const asks = (run: RunView, count = 1): Promise<AskView[]> =>
      bed.until(async () => {
        const { items } = await bed.api.asks.list({ run_id: run.run_id, status: 'pending' });
        if (items.length >= count) return items;
        const now = await bed.api.runs.get(run.run_id);
        if (now.finished_at_ms === undefined) return undefined;
        throw new Error(`the run is ${now.status} (${now.error}) with ${items.length} of ${count} asks`);
      });
    const oneAsk = async (run: RunView): Promise<AskView> => (await asks(run))[0] as AskView;
    const completed = async (run: RunView) => expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    const deliveries = async (run: RunView) => (await bed.events(run.session_id, 'ask.delivered')).length;

    it('asks under the id of the tool call, and acts once on an allow', async () => {
      const { run, timesRun } = await begin([[call('allowed')]]);
      const ask = await oneAsk(run);
      expect(ask.tool_call_id).toMatch(/call_allowed/);
      expect(JSON.stringify(ask.request)).toContain(appendTo('allowed'));
      expect(await timesRun('allowed')).toBe(0);
      await bed.decide(ask, { behavior: 'allow' });
      await completed(run);
      expect(await timesRun('allowed')).toBe(1);
      expect(await deliveries(run)).toBe(1);
    });

    it('keeps the asks of parallel calls apart, and gives the model the reason of a denial', async () => {
      const { run, timesRun, received } = await begin([[call('first'), call('second')]]);
      if (fixture.isParallel) expect(await asks(run, 2)).toHaveLength(2);
      const denied = fixture.deniesTheRest ? 'second' : 'first';
      for (let answered = 0; answered < 2; answered++) {
        const ask = await oneAsk(run);
        const isDenied = JSON.stringify(ask.request).includes(appendTo(denied));
        await bed.decide(
          ask,
          isDenied ? { behavior: 'deny', reason: 'use the staging folder' } : { behavior: 'allow' },
        );
      }
      await completed(run);
      const ran = [await timesRun('first'), await timesRun('second')];
      expect(ran).toEqual(denied === 'first' ? [0, 1] : [1, 0]);
      expect(await received()).toContain('use the staging folder');
    });

    it('runs the input as a person changed it, and never the original', async () => {
      const again = fixture.repeatsAfterEdit ? [[call('again', 'changed')]] : [];
      const { run, timesRun } = await begin([[call('original')], ...again]);
      const ask = await oneAsk(run);
      if (ask.kind !== 'approval') throw new Error('a command is asked for as an approval');
      const updated_input = { ...ask.request.input, command: appendTo('changed') };
      await bed.decide(ask, { behavior: 'allow', updated_input });
      await completed(run);
      expect([await timesRun('original'), await timesRun('changed')]).toEqual([0, 1]);
    });

    const questionIt = fixture.asksNoQuestions ? it.skip : it;

    questionIt('gives the model the answer to a question, and says which question was skipped', async () => {
      const { run, received } = await begin([[{ id: 'call_questions', questions: QUESTIONS }]]);
      const ask = await oneAsk(run);
      if (ask.kind !== 'question') throw new Error('questions are asked as a question set');
      const [colour, size] = ask.request.questions;
      const chosen = (question: typeof colour, label: string) => ({
        question_id: question?.id ?? '',
        selected_option_ids: [question?.options.find((option) => option.label === label)?.id ?? ''],
      });
      const blue = chosen(colour, 'Blue');
      if (fixture.skipsQuestions) await bed.answer(ask, blue);
      else await bed.answer(ask, blue, chosen(size, 'Large'));
      await completed(run);
      expect(await received()).toContain('Blue');
      if (fixture.skipsQuestions) expect(await received()).toMatch(/skipped/i);
    });

    questionIt('tells the model that a question was declined', async () => {
      const { run, received } = await begin([[{ id: 'call_declined', questions: QUESTIONS }]]);
      await bed.decline(await oneAsk(run), 'decide yourself');
      await completed(run);
      expect(await received()).toMatch(/declined[\s\S]*decide yourself/);
    });

    it.skipIf(fixture.repliesToComments === undefined)(
      'replies to a comment where it can while its call waits, and acts only on the decision',
      async () => {
        const { run, timesRun } = await begin([[call('explained')]]);
        const ask = await oneAsk(run);
        expect(ask.takes_comments ?? false).toBe(fixture.repliesToComments);
        const { asks: api } = bed.api;
        await api.comment(ask.ask_id, 'yes, allow it: but why?');
        if (fixture.repliesToComments) {
          const replies = (count: number) =>
            bed.until(async () => {
              const said = ((await api.get(ask.ask_id)).comments ?? []).filter(({ role }) => role === 'agent');
              return said.length >= count ? said : undefined;
            });
          expect(await replies(1)).toMatchObject([{ text: expect.not.stringContaining('no reply') }]);
          await api.comment(ask.ask_id, 'do it now');
          await replies(2);
        }
        expect(await asks(run)).toMatchObject([{ ask_id: ask.ask_id, status: 'pending' }]);
        expect([await timesRun('explained'), await timesRun('tempted')]).toEqual([0, 0]);
        await bed.decide(ask, { behavior: 'allow' });
        await completed(run);
        expect([await timesRun('explained'), await timesRun('tempted')]).toEqual([1, 0]);
        expect(await deliveries(run)).toBe(1);
        const { outputs } = await bed.api.runs.get(run.run_id);
        expect(JSON.stringify(outputs)).not.toMatch(/but why|needed for the build|tempted/);
      },
    );

    it('ends a cancelled run with its asks: a late answer is refused with the reason and changes nothing', async () => {
      const { run, timesRun } = await begin([[call('late')]]);
      const ask = await oneAsk(run);
      await bed.api.runs.cancel(run.run_id);
      const late = bed.decide(ask, { behavior: 'allow' });
      await expect(late).rejects.toSatisfy((error) => error instanceof HoldpointProblem && error.status === 409);
      expect(await bed.api.asks.get(ask.ask_id)).toMatchObject({ status: 'cancelled' });
      await bed.until(async () => (processesOf(run).length === 0 ? true : undefined));
      expect(await timesRun('late')).toBe(0);
    });

    if (fixture.settleItself)
      it('withdraws an ask that the agent has settled at its own prompt', async () => {
        const { run, timesRun, settleItself } = await begin([[call('settled')]]);
        const ask = await oneAsk(run);
        settleItself('call_settled');
        await bed.until(async () => ((await bed.api.asks.get(ask.ask_id)).status === 'pending' ? undefined : true));
        const late = bed.decide(ask, { behavior: 'allow' });
        await expect(late).rejects.toSatisfy((error) => error instanceof HoldpointProblem && error.status === 409);
        await completed(run);
        expect(await timesRun('settled')).toBe(0);
      });

    const plan = (name: string): Plan =>
      fixture.repeatsAfterCrash ? [[call(name)], [call(`${name}_again`, name)]] : [[call(name)]];

    if (fixture.hasProcess)
      it('keeps an ask over kill -9 of the agent: the answer is acted on once', async () => {
        const { run, timesRun } = await begin(plan('agent'));
        const ask = await oneAsk(run);
        const [leader] = processesOf(run).filter((pid) => environmentOf(pid).includes(`HOLDPOINT_LEADER=${pid}`));
        process.kill(Number(leader), 'SIGKILL');
        await bed.until(async () => (await bed.events(run.session_id, 'run.released'))[0]);
        expect(await bed.api.asks.get(ask.ask_id)).toMatchObject({ status: 'pending' });
        expect(await timesRun('agent')).toBe(0);
        await bed.decide(ask, { behavior: 'allow' });
        await completed(run);
        expect(await timesRun('agent')).toBe(1);
      });

    it('keeps an ask over kill -9 of the worker: the answer is acted on once', async () => {
      const { run, timesRun } = await begin(plan('worker'));
      const ask = await oneAsk(run);
      await worker.end('SIGKILL');
      await bed.lapse(worker.id, run);
      await bed.until(async () => (processesOf(run).length === 0 ? true : undefined));
      expect(await timesRun('worker')).toBe(0);
      worker = startWorker(server);
      await bed.decide(ask, { behavior: 'allow' });
      await completed(run);
      expect(await timesRun('worker')).toBe(1);
    });

    it('keeps an ask over kill -9 of the server: the answer is acted on once', async () => {
      const { run, timesRun } = await begin([[call('server')]]);
      const ask = await oneAsk(run);
      const { port } = new URL(server.url);
      await server.end('SIGKILL');
      server = await startHoldpoint({ via: 'main', args: ['--no-worker', '--port', port], data: server.data, env });
      expect(await bed.api.asks.get(ask.ask_id)).toMatchObject({ status: 'pending' });
      expect(await timesRun('server')).toBe(0);
      await bed.decide(ask, { behavior: 'allow' });
      await completed(run);
      expect(await timesRun('server')).toBe(1);
      expect(await deliveries(run)).toBe(1);
    });
  });
}
