// What a session may store in a day, and what it may have pending: refused with what to do, while answers, acknowledgements
// and ends pass.
import { afterEach, describe, expect, it } from 'vitest';
import type { Limits } from '../../src/core/limits.ts';
import type { RunView } from '../../src/core/views.ts';
import { answer, callId, held, NOTES, newSession, ok, raiseQuestion, refusal, startRun } from '../support/api-calls.ts';
import { openServer, type Server } from '../support/server.ts';

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function serverWith(limits: Partial<Limits>): Promise<Server> {
  const server = await openServer({ limits });
  servers.push(server);
  return server;
}

const DAY_MS = 24 * 60 * 60 * 1000;

describe('finding 13: the bytes of a session', () => {
  it.each([
    ['text', { text: 'x'.repeat(3000) }],
    ['data alone', { data: { blob: 'x'.repeat(3000) } }],
  ])(
    'refuses asks and outputs (%s) over the limit of a day until the next day, but no answer or end',
    async (_, output) => {
      const server = await serverWith({ sessionBytesPerDay: 18_000 });
      const h = await held(server);
      const say = () => server.post<RunView>(`/v1/runs/${h.runId}/output`, output);
      for (let n = 0; n < 6; n++) await ok(say());
      const body = { kind: 'question', tool_call_id: callId(), questions: [NOTES] };
      const raise = () => server.post(`/v1/runs/${h.runId}/asks`, body);
      expect((await refusal(say(), 429, 'session_bytes_limit')).detail).toMatch(
        /another session.*SESSION_BYTES_PER_DAY/,
      );
      await refusal(raise(), 429, 'session_bytes_limit');
      await server.restart();
      await refusal(say(), 429, 'session_bytes_limit');
      await ok(answer(server, h));
      await ok(server.post(`/v1/asks/${h.ask.ask_id}/delivered`));
      server.advance(DAY_MS);
      await ok(raise());
      await ok(server.post(`/v1/runs/${h.runId}/fail`));
    },
  );

  it('counts the input of runs that an agent starts, and lets a person start one all the same', async () => {
    const server = await serverWith({ sessionBytesPerDay: 20_000 });
    const { session_id } = await newSession(server);
    const { token } = await server.makeToken('agent', session_id);
    const start = () =>
      server.post(`/v1/sessions/${session_id}/runs`, { input: { data: 'x'.repeat(15_000) } }, { token });
    await ok(start());
    await ok(start());
    await refusal(start(), 429, 'session_bytes_limit');
    await startRun(server, session_id);
  });

  it('refuses pending asks of 32 MiB together until some are answered', async () => {
    const server = await serverWith({});
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const input = { command: 'x'.repeat(1_000_000) };
    const raise = () =>
      server.post(`/v1/runs/${run_id}/asks`, { kind: 'approval', tool_call_id: callId(), tool_name: 'Bash', input });
    for (let n = 0; n < 34; n++) await ok(raise());
    expect((await refusal(raise(), 429, 'pending_asks_limit')).detail).toContain('32 MiB');
  });

  it('refuses the queued run of an agent after a thousand', async () => {
    const server = await serverWith({ agentRequestsPerSecond: 0 });
    const { session_id } = await newSession(server);
    const { token } = await server.makeToken('agent', session_id);
    const start = () => server.post(`/v1/sessions/${session_id}/runs`, { input: {} }, { token });
    for (let n = 0; n < 1001; n++) await ok(start());
    await refusal(start(), 429, 'queued_runs_limit');
  });

  it('shows the beginning of a long last message in the view of its session', async () => {
    const server = await serverWith({});
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    await raiseQuestion(server, run_id);
    await ok(server.post(`/v1/runs/${run_id}/output`, { text: 'y'.repeat(400_000) }));
    expect((await server.get(`/v1/sessions/${session_id}`)).text.length).toBeLessThan(60_000);
  });
});
