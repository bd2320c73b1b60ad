// One open event stream of a test: keeps every frame in the order it came, comments too, and can stop reading for a
// while as a slow client does.
import { Agent, get, type IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import type { EventView } from '../../src/core/views.ts';
import type { CallOptions, Server } from './server.ts';

export interface Frame {
  id: string | undefined;
  event: string | undefined;
  data: string;
}

export interface Stream {
  status: number;
  headers: IncomingMessage['headers'];
  frames: Frame[];
  comments: string[];
  /** The events among the frames. */
  events(): EventView[];
  /** Resolves when what has come satisfies the condition; rejects when the stream ends without it. */
  until(condition: (stream: Stream) => boolean): Promise<void>;
  pause(): void;
  resume(): void;
  /** Resolves when the server ended the stream or the connection is gone. */
  ended: Promise<void>;
  close(): void;
}

export async function openStream(server: Server, path: string, options: CallOptions = {}): Promise<Stream> {
  const token = options.token === undefined ? server.token : options.token;
  const headers = {
    accept: 'text/event-stream',
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...options.headers,
  };
  const url = await server.url();
  return new Promise((resolve, reject) => {
    const request = get(`${url}${path}`, { headers, agent: new Agent() }, (response) =>
      resolve(follow(response, () => request.destroy())),
    );
    request.once('error', reject);
  });
}

function follow(response: IncomingMessage, close: () => void): Stream {
  const frames: Frame[] = [];
  const comments: string[] = [];
  const events: EventView[] = [];
  const waiting = new Set<() => void>();
  let over = false;
  const look = () => {
    for (const check of [...waiting]) check();
  };
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      frames.push({ id, event, data });
      if (event === undefined) events.push(JSON.parse(data) as EventView);
    },
    onComment: (comment) => comments.push(comment),
  });
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    parser.feed(chunk);
    look();
  });
  response.on('error', () => {});
  const ended = new Promise<void>((resolve) =>
    response.once('close', () => {
      over = true;
      look();
      resolve();
    }),
  );
  const stream: Stream = {
    status: response.statusCode ?? 0,
    headers: response.headers,
    frames,
    comments,
    events: () => events,
    until: (condition) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const met = condition(stream);
          if (!met && !over) return;
          waiting.delete(check);
          if (met) resolve();
          else reject(new Error('the stream ended before that'));
        };
        waiting.add(check);
        check();
      }),
    pause: () => response.pause(),
    resume: () => response.resume(),
    ended,
    close,
  };
  return stream;
}
