// One side of JSON-RPC: responses are matched to requests, the four kinds of message are told apart, and invalid messages
// change nothing.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createPeer, type Incoming, on, route } from '../../../src/agents/wire/json-rpc.ts';

function peer() {
  const sent: Record<string, unknown>[] = [];
  const requests: Incoming[] = [];
  const notices: [string, unknown][] = [];
  const side = createPeer({
    send: (text) => sent.push(JSON.parse(text)),
    onRequest: (request) => requests.push(request),
    onNotification: (method, params) => notices.push([method, params]),
  });
  return { side, sent, requests, notices, hear: (message: unknown) => side.receive(JSON.stringify(message)) };
}

describe('a JSON-RPC peer', () => {
  it('matches responses to requests in any order', async () => {
    const { side, sent, hear } = peer();
    const [first, second] = [side.request('a', { x: 1 }), side.request('b', null)];
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a', params: { x: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'b', params: null },
    ]);
    hear({ id: 2, result: null });
    hear({ id: 1, result: { ok: true } });
    expect(await Promise.all([first, second])).toEqual([{ ok: true }, null]);
  });

  it('rejects a request with the error of the response', async () => {
    const { side, hear } = peer();
    const asked = side.request('thread/resume', {});
    hear({ id: 1, error: { code: -32600, message: 'no such thread', data: { id: 'x' } } });
    await expect(asked).rejects.toThrow('thread/resume was refused: no such thread (-32600)');
  });

  it('tells requests from notifications, even if the id is 0', () => {
    const { requests, notices, sent, side, hear } = peer();
    hear({ id: 0, method: 'ask', params: { q: 1 } });
    hear({ method: 'told', params: [1] });
    hear({ id: 'x', method: 'bare' });
    expect(requests).toEqual([
      { id: 0, method: 'ask', params: { q: 1 } },
      { id: 'x', method: 'bare', params: undefined },
    ]);
    expect(notices).toEqual([['told', [1]]]);
    side.respond(0, { yes: true });
    side.refuse('x', -32601, 'unknown');
    side.notify('initialized');
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 0, result: { yes: true } },
      { jsonrpc: '2.0', id: 'x', error: { code: -32601, message: 'unknown' } },
      { jsonrpc: '2.0', method: 'initialized' },
    ]);
  });

  it.each([
    '',
    'not json',
    '[]',
    'null',
    '7',
    '{}',
    '{"id":1}',
    '{"id":{},"result":1}',
    '{"method":7}',
    '{"id":99,"result":1}',
  ])('ignores the invalid message %j', (text) => {
    const { side, requests, notices, sent } = peer();
    side.receive(text);
    expect([requests, notices, sent]).toEqual([[], [], []]);
  });

  it('resolves a request once', async () => {
    const { side, hear } = peer();
    const asked = side.request('a', {});
    hear({ id: 1, result: 'first' });
    hear({ id: 1, result: 'second' });
    expect(await asked).toBe('first');
  });

  it('rejects every request after the other side is gone', async () => {
    const { side, sent } = peer();
    const open = side.request('a', {});
    side.close(new Error('gone'));
    await expect(open).rejects.toThrow('gone');
    await expect(side.request('b', {})).rejects.toThrow('gone');
    expect(sent).toHaveLength(1);
  });
});

it('routes notifications by method, and ignores those of another shape', () => {
  const handled: unknown[] = [];
  const receive = route(
    on('a', z.object({ x: z.number() }), ({ x }) => handled.push(x)),
    on('b', z.string(), (text) => handled.push(text)),
  );
  receive('a', { x: 1 });
  receive('a', { x: 'one' });
  receive('b', 'two');
  receive('c', 'three');
  expect(handled).toEqual([1, 'two']);
});
