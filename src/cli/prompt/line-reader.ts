// Reads lines one after the other, at a terminal or from a pipe. Prompts go to standard error, so that standard output
// stays free for results. The end of input and Ctrl-C both mean that the person left. Secrets are not echoed.
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { left } from '../failure.ts';

export interface LineReader {
  /** The next line. Throws when the person left, or the signal's reason when it aborts. */
  ask(prompt: string, options?: { secret?: boolean }): Promise<string>;
  show(text: string): void;
  close(): void;
}

export function openLineReader(signal: AbortSignal): LineReader {
  const { stdin, stderr } = process;
  let isMuted = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isMuted) stderr.write(chunk);
      done();
    },
  });
  const terminal = stdin.isTTY === true && stderr.isTTY === true;
  const columns = stderr.columns;
  const lines = createInterface({ input: stdin, output: Object.assign(output, { columns }), terminal, historySize: 0 });
  const queue = createQueue(lines, signal);
  return {
    async ask(prompt, options) {
      if (!terminal) stderr.write(prompt);
      lines.setPrompt(prompt);
      if (terminal) lines.prompt();
      isMuted = options?.secret === true && terminal;
      let isAnswered = false;
      try {
        const text = await queue.next();
        isAnswered = true;
        return text;
      } finally {
        // Only a line that was typed and echoed has ended the line of the prompt.
        if (isMuted || !terminal || !isAnswered) stderr.write('\n');
        isMuted = false;
      }
    },
    show: (text) => {
      stderr.write(`${text}\n`);
    },
    close: () => lines.close(),
  };
}

/** Lines may arrive before they are asked for, as from a pipe; each is returned once. */
function createQueue(lines: Interface, signal: AbortSignal) {
  const waiting: string[] = [];
  let end: unknown;
  let wake: () => void = () => {};
  const finish = (reason: unknown) => {
    end ??= reason;
    wake();
  };
  lines.on('line', (text) => {
    waiting.push(text);
    wake();
  });
  lines.on('SIGINT', () => {
    // Lines typed ahead are dropped as well.
    waiting.length = 0;
    finish(left());
  });
  lines.on('close', () => finish(left()));
  signal.addEventListener('abort', () => finish(signal.reason), { once: true });
  return {
    async next(): Promise<string> {
      for (;;) {
        signal.throwIfAborted();
        const text = waiting.shift();
        if (text !== undefined) return text;
        if (end !== undefined) throw end;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
