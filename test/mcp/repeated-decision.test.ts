// How often one decision of a person is returned to a client that repeats its call, over both transports.
// Covers: src/mcp/handover.ts, src/mcp/repeat.ts
import { describe, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { allow, decide, deny, eventually, ok } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { type Agent, askUser, connecting, jsonOf, PATIENCE, pendingAsk, TRANSPORTS } from './test-bed.ts';

const server = serverForAll({ patience: PATIENCE });
const connect = connecting(() => server);
const approve = ({ client }: Agent, more = {}, signal = new AbortController().signal) => {
  const call = { tool_name: 'Bash', input: { command: 'make' }, ...more };
  return client.callTool({ name: 'request_approval', arguments: call }, { signal });
};
const asksOf = ({ sessionId }: Agent) => ok(server.get<AskView[]>(`/v1/asks?session_id=${sessionId}`));

describe.each(TRANSPORTS)('over %s', (transport) => {
  it('returns a decision six times at most before the person is asked again', { timeout: 60_000 }, async () => {
    const agent = await connect({ transport });
    const cut = new AbortController();
    const abandoned = askUser(agent, { signal: cut.signal });
    await pendingAsk(server, agent.sessionId);
    cut.abort();
    await expect(abandoned).rejects.toThrow();
    const first = approve(agent);
    await eventually(async () => (await asksOf(agent)).length).toBe(2);
    const [, ask] = (await asksOf(agent)) as [AskView, AskView];
    await ok(decide(server, ask.run_id, allow(ask.ask_id)));
    expect(jsonOf(await first)).toMatchObject({ behavior: 'allow' });
    // The other ask may be waited for, so a repeat is no sign that the decision was received.
    for (let n = 2; n <= 6; n++) expect(jsonOf(await approve(agent))).toMatchObject({ behavior: 'allow' });
    const last = approve(agent);
    await eventually(async () => (await asksOf(agent)).map(({ status }) => status)).toEqual([
      'pending',
      'answered',
      'pending',
    ]);
    const [, , again] = (await asksOf(agent)) as [AskView, AskView, AskView];
    await ok(decide(server, again.run_id, deny(again.ask_id)));
    expect(jsonOf(await last)).toMatchObject({ behavior: 'deny' });
  });

  it('asks anew where the caller no longer takes a changed input, and refuses what it cannot honour', async () => {
    const agent = await connect({ transport });
    const cut = new AbortController();
    const abandoned = approve(agent, {}, cut.signal);
    const ask = await pendingAsk(server, agent.sessionId);
    cut.abort();
    await expect(abandoned).rejects.toThrow();
    await ok(decide(server, ask.run_id, allow(ask.ask_id, { updated_input: { command: 'make all' } })));
    const strict = approve(agent, { editable: false });
    const other = await pendingAsk(server, agent.sessionId);
    expect(other.ask_id).not.toBe(ask.ask_id);
    await ok(decide(server, other.run_id, deny(other.ask_id)));
    expect(jsonOf(await strict)).toMatchObject({ behavior: 'deny' });
    expect(JSON.stringify(await approve(agent, { mode: 'deferred' }))).toContain('mode: not in request_approval');
  });
});
