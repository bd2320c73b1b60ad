// Connects the ACP SDK to a process that exchanges lines: each line is one JSON-RPC message. Ignores lines that are none,
// because programs also print warnings to standard output.
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { parsedJson } from '../wire/json-rpc.ts';

export interface MessageStream {
  stream: Stream;
  /** Takes one line of the other side. */
  receive(line: string): void;
  /** The other side is gone. */
  end(): void;
}

export function createMessageStream(send: (line: string) => void): MessageStream {
  let incoming: ReadableStreamDefaultController<AnyMessage> | undefined;
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      incoming = controller;
    },
    cancel() {
      incoming = undefined;
    },
  });
  const writable = new WritableStream<AnyMessage>({ write: (message) => send(JSON.stringify(message)) });
  return {
    stream: { readable, writable },
    receive(line) {
      const message = parsedJson(line);
      if (isMessage(message)) incoming?.enqueue(message);
    },
    end() {
      incoming?.close();
      incoming = undefined;
    },
  };
}

const isMessage = (value: unknown): value is AnyMessage =>
  typeof value === 'object' && value !== null && 'jsonrpc' in value;
