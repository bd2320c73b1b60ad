// A tool call that a worker forwards to the MCP door is repeated when the server is away for a moment: the same call, in the
// name of the run, and to no other server.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createHttp } from '../../src/client/http.ts';
import { callTool } from '../../src/client/mcp-call.ts';

const call = { name: 'interactive_form_question', arguments: { questions: [] }, tool_use_id: 'toolu_1' };
const opened: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});

async function door(answer: RequestListener, retryForMs = 20_000) {
  const server = createServer(answer);
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttp({ url, token: 'worker', retryForMs });
  return () => callTool(http, 'run', call, new AbortController().signal);
}
const result = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'deferred' }] } };

it.each([
  ['application/json', JSON.stringify(result)],
  ['text/event-stream', `event: message\ndata: ${JSON.stringify(result)}\n\n`],
])('repeats the same call until it is answered with %s', async (type, body) => {
  const heard: string[] = [];
  const forward = await door((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      heard.push(`${request.headers.authorization} ${text}`);
      if (heard.length < 3) return void request.socket.destroy();
      response.setHeader('content-type', type).end(body);
    });
  });
  expect(await forward()).toEqual({ text: 'deferred', isError: false });
  expect(heard).toHaveLength(3);
  expect(new Set(heard).size).toBe(1);
  expect(heard[0]).toMatch(/^Bearer run .*"tool_use_id":"toolu_1"/);
});

it('follows no redirect, and reports the refusal of the door', async () => {
  const away = await door((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(), 0);
  await expect(away()).rejects.toThrow();
  const refused = await door((_, response) => {
    response.writeHead(403, { 'content-type': 'application/problem+json' }).end('{"detail":"Not yours."}');
  });
  await expect(refused()).rejects.toThrow('The MCP door answered 403: Not yours.');
});
