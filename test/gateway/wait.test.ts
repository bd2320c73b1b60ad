// Long polls: an answer that came before, during or after the start of a wait ends it.
import { describe, expect, it } from 'vitest';
import type { AskView, RunView } from '../../src/core/views.ts';
import { answer, held, ok, picks, raiseQuestion, resolution } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

describe('waiting for an ask', () => {
  it('returns an answer that was given before a restart to a wait that begins after it', async () => {
    const h = await held(server);
    await ok(answer(server, h, picks('local')));
    await server.restart();
    const ask = await ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}?wait_ms=20000`));
    expect(ask).toMatchObject({ status: 'answered', delivery: { state: 'due' }, answer: { answers: picks('local') } });
  });

  it('returns at once when the ask was answered before the wait began', async () => {
    const h = await held(server);
    await ok(answer(server, h));
    const ask = await ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}?wait_ms=60000`));
    expect(ask.status).toBe('answered');
  });

  it('returns the answer to a wait that begins while the answer is given', async () => {
    const asked = await Promise.all(Array.from({ length: 60 }, () => held(server)));
    const waits = asked.flatMap((h, i) => {
      const wait = () => ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}?wait_ms=60000`));
      const give = () => ok(answer(server, h));
      return i % 2 === 0 ? [wait(), give().then(wait)] : [give().then(wait), wait()];
    });
    for (const ask of await Promise.all(waits)) expect(ask.status).toBe('answered');
  });
});

describe('waiting for the pause of a run', () => {
  it('returns at once with settle_ms when the run paused before the wait began', async () => {
    const h = await held(server);
    const second = await raiseQuestion(server, h.runId);
    const run = await ok(
      server.post<RunView>(`/v1/runs/${h.runId}/questions?settle_ms=60000`, resolution(h.ask.ask_id)),
    );
    expect(run.pending_question_ids).toEqual([second.ask_id]);
  });
});
