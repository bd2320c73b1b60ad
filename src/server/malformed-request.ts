// Answers malformed HTTP, oversized headers and unsupported expectations with a problem document, and closes the
// connection.
import type { FastifyServerOptions } from 'fastify';
import { refuse } from '../core/errors.ts';
import { problemOf } from './problem.ts';
import type { App } from './routes/route.ts';

const LINGER_MS = 1000;

const DETAILS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The address and the headers of a request are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

export const refuseMalformed: NonNullable<FastifyServerOptions['clientErrorHandler']> = (error, socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = problemText(DETAILS[error.code] ?? 'This is not a valid HTTP request.');
  const head = `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/problem+json`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  // Destroyed at once, what it still sends would reset the connection before it has read this.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
};

/** Node answers an unknown `Expect` by itself, without a word. */
export function refuseExpectations(app: App): void {
  app.server.on('checkExpectation', (_request, response) => {
    response.writeHead(400, { 'content-type': 'application/problem+json', connection: 'close' });
    response.end(problemText('The only expectation this server can meet is `Expect: 100-continue`.'));
  });
}

const problemText = (detail: string): string => JSON.stringify(problemOf(refuse('invalid_request', detail)));
