// Streams that are not read: what the streams of one token hold in memory together is bounded.
// Covers: src/server/sse.ts
import http from 'node:http';
import { it, onTestFinished } from 'vitest';
import { eventually, newSession, ok, startRun } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

it('finding 4: closes streams of a token that together hold more than 8 MiB unread', async () => {
  const { session_id } = await newSession(server);
  const { run_id } = await startRun(server, session_id);
  for (let n = 0; n < 30; n++) await ok(server.post(`/v1/runs/${run_id}/output`, { text: 'x'.repeat(490_000) }));
  const { token } = await server.makeToken('agent', session_id);
  const url = await server.url();
  for (let n = 0; n < 40; n++) {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const request = http.get(`${url}/v1/events?after=0`, { headers, agent: false }, (response) => {
      response.on('error', () => {});
    });
    request.on('error', () => {});
    onTestFinished(() => void request.destroy());
  }
  await eventually(async () => {
    const open = Number(/holdpoint_streams_open (\d+)/.exec((await server.get('/metrics')).text)?.[1]);
    return open > 0 && open < 30;
  }).toBe(true);
});
