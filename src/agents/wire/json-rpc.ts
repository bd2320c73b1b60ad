// One side of a JSON-RPC conversation over any carrier of whole messages: lines of a process, frames of a socket. Owns
// ids, pairing answers with requests, and telling the four kinds of message apart. What is not JSON-RPC is told to
// `onNoise` and otherwise ignored: a peer that talks nonsense gets no answer out of us. Knows no method.
import { z } from 'zod';

export type RequestId = string | number;

export interface Incoming {
  id: RequestId;
  method: string;
  params: unknown;
}

export interface Peer {
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params?: unknown): void;
  respond(id: RequestId, result: unknown): void;
  refuse(id: RequestId, code: number, message: string): void;
  /** One whole message of the other side. */
  receive(text: string): void;
  /** The other side is gone: nothing that was asked of it will be answered. */
  close(reason: Error): void;
}

export interface PeerOptions {
  send(text: string): void;
  onRequest(request: Incoming): void;
  onNotification(method: string, params: unknown): void;
  onNoise?(text: string): void;
}

export const METHOD_NOT_FOUND = -32601;
export const INTERNAL_ERROR = -32603;

/** The other side refused what was asked of it. */
export class RpcRefusal extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(method: string, { code, message, data }: z.infer<typeof Refusal>) {
    super(`${method} was refused: ${message} (${code})`);
    this.name = 'RpcRefusal';
    this.code = code;
    this.data = data;
  }
}

const Id = z.union([z.string(), z.number()]);
const Refusal = z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() });
const Request = z.looseObject({ id: Id, method: z.string(), params: z.unknown().optional() });
const Notification = z.looseObject({
  id: z.undefined().optional(),
  method: z.string(),
  params: z.unknown().optional(),
});
const Failed = z.looseObject({ id: Id, error: Refusal });
const Done = z.looseObject({ id: Id, result: z.unknown() });
const Message = z.union([Request, Notification, Failed, Done]);

interface Waiting {
  method: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export function createPeer({ send, onRequest, onNotification, onNoise }: PeerOptions): Peer {
  const waiting = new Map<RequestId, Waiting>();
  let made = 0;
  let closed: Error | undefined;
  const put = (message: object) => send(JSON.stringify({ jsonrpc: '2.0', ...message }));

  function settle(id: RequestId, text: string): Waiting | undefined {
    const known = waiting.get(id);
    if (!known) onNoise?.(text);
    waiting.delete(id);
    return known;
  }

  return {
    request(method, params) {
      if (closed) return Promise.reject(closed);
      made += 1;
      const id = made;
      const answer = new Promise((resolve, reject) => waiting.set(id, { method, resolve, reject }));
      put({ id, method, params });
      return answer;
    },
    notify: (method, params) => put({ method, ...(params !== undefined && { params }) }),
    respond: (id, result) => put({ id, result }),
    refuse: (id, code, message) => put({ id, error: { code, message } }),
    receive(text) {
      const read = Message.safeParse(parsed(text));
      if (!read.success) return onNoise?.(text);
      const message = read.data;
      if ('method' in message) {
        const { id, method, params } = message as z.infer<typeof Request | typeof Notification>;
        return id === undefined ? onNotification(method, params) : onRequest({ id, method, params });
      }
      const known = settle(message.id, text);
      if ('error' in message)
        return known?.reject(new RpcRefusal(known.method, message.error as z.infer<typeof Refusal>));
      known?.resolve(message.result);
    },
    close(reason) {
      closed ??= reason;
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
