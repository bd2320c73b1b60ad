// What a peer needs to be measured by the same load as the reference: asks and answers by HTTP, and a stream that says
// which asks went on with their answer.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const streams = new Set();

/** The code that asked has its answer. */
export function resumed(id) {
  for (const stream of streams) stream.write(`data: {"id":"${id}"}\n\n`);
}

/** `ask` resolves to an id once the ask is durable, `answer` once the answer is. */
export function serve({ ask, answer }) {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      streams.add(response);
      request.on('close', () => streams.delete(response));
      return;
    }
    const id = /^\/asks\/([^/]+)\/answer$/.exec(request.url)?.[1];
    const body = await text(request);
    const send = (status, reply) =>
      response.writeHead(status, { 'content-length': Buffer.byteLength(reply) }).end(reply);
    try {
      const found = id === undefined ? await ask(body) : await answer(id, body);
      send(200, JSON.stringify({ id: found ?? id }));
    } catch (error) {
      send(500, String(error));
    }
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`peer ready http://127.0.0.1:${server.address().port}\n`));
}
