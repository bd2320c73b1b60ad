// HTTP servers for tests of a connection: each answers as its handler says, or not at all.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const servers: Server[] = [];

type Handler = (
  request: { method: string; path: string; body: string; key: string | undefined },
  respond: (status: number, text: string, type?: string) => void,
  drop: () => void,
) => void;

export async function openProxy(handle: Handler): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const key = request.headers['idempotency-key'] as string | undefined;
    handle(
      { method: request.method ?? '', path: request.url ?? '', body, key },
      (status, text, type = 'text/plain') => response.writeHead(status, { 'content-type': type }).end(text),
      () => request.socket.destroy(),
    );
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function closeProxies(): void {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
}
