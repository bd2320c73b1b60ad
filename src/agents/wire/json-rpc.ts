// Speaks one side of JSON-RPC over any transport of whole messages: lines of a process, frames of a socket. Owns request
// ids and matches responses to requests. Ignores messages that are not JSON-RPC. Knows no method.
import { z } from 'zod';

export type RequestId = string | number;

export interface Incoming {
  id: RequestId;
  method: string;
  params: unknown;
}

export type Peer = ReturnType<typeof createPeer>;

export interface PeerOptions {
  send(text: string): void;
  onRequest(request: Incoming): void;
  onNotification(method: string, params: unknown): void;
}

export const METHOD_NOT_FOUND = -32601;
export const INTERNAL_ERROR = -32603;

const Id = z.union([z.string(), z.number()]);
const ErrorObject = z.looseObject({ code: z.number(), message: z.string() });
/** A request, or without an id a notification. */
const Call = z.looseObject({ id: Id.optional(), method: z.string(), params: z.unknown().optional() });
const Failure = z.looseObject({ id: Id, error: ErrorObject });
const Success = z.looseObject({ id: Id, result: z.unknown() });
const Message = z.union([Call, Failure, Success]);

interface Sent {
  method: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export function createPeer({ send, onRequest, onNotification }: PeerOptions) {
  const open = new Map<RequestId, Sent>();
  let count = 0;
  let closed: Error | undefined;
  const write = (message: object) => send(JSON.stringify({ jsonrpc: '2.0', ...message }));

  return {
    request(method: string, params: unknown): Promise<unknown> {
      if (closed) return Promise.reject(closed);
      count += 1;
      const id = count;
      const response = new Promise((resolve, reject) => open.set(id, { method, resolve, reject }));
      write({ id, method, params });
      return response;
    },
    notify: (method: string, params?: unknown) => write({ method, ...(params !== undefined && { params }) }),
    respond: (id: RequestId, result: unknown) => write({ id, result }),
    refuse: (id: RequestId, code: number, message: string) => write({ id, error: { code, message } }),
    /** Takes one whole message of the other side. */
    receive(text: string) {
      const read = Message.safeParse(parsedJson(text));
      if (!read.success) return;
      const message = read.data;
      if ('method' in message) {
        const { id, method, params } = message as z.infer<typeof Call>;
        return id === undefined ? onNotification(method, params) : onRequest({ id, method, params });
      }
      const sent = open.get(message.id);
      if (!sent) return;
      open.delete(message.id);
      if ('error' in message) sent.reject(refusal(sent.method, message.error as z.infer<typeof ErrorObject>));
      else sent.resolve(message.result);
    },
    /** The other side is gone: rejects every request that has no response. */
    close(reason: Error): void {
      closed ??= reason;
      for (const { reject } of open.values()) reject(reason);
      open.clear();
    },
  };
}

const refusal = (method: string, { code, message }: z.infer<typeof ErrorObject>): Error =>
  new Error(`${method} was refused: ${message} (${code})`);

/** Handles notifications of one method; those of another shape are ignored. */
export const on = <T extends z.ZodType>(method: string, shape: T, handle: (params: z.infer<T>) => void) => ({
  method,
  handle(params: unknown): void {
    const read = shape.safeParse(params);
    if (read.success) handle(read.data);
  },
});

/** For `onNotification`: passes each notification to the handlers of its method. */
export const route =
  (...handlers: readonly ReturnType<typeof on>[]): PeerOptions['onNotification'] =>
  (method, params) => {
    for (const handler of handlers) if (handler.method === method) handler.handle(params);
  };

/** Undefined for text that is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
