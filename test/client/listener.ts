// A bare HTTP listener for client tests: it records what a client sends and answers as a test says, badly if need be.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Heard {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface Listener {
  url: string;
  heard: Heard[];
  close(): Promise<void>;
}

type Answer = (heard: Heard, response: ServerResponse, count: number) => void;

export async function listen(answer: Answer): Promise<Listener> {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    heard.push(one);
    answer(one, response, heard.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
