// Plays the agent's side of a conversation over a socket that was recorded from the real one. What the other side says
// must be what it said then, to the letter; the first thing that differs is kept, and nothing is played any more.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

export interface Line {
  from: 'agent' | 'holdpoint';
  message: { id?: unknown; method?: unknown; params?: unknown; result?: unknown; jsonrpc?: string };
}

export class TranscriptPlayer {
  /** What was said instead of what was recorded. */
  problem: string | undefined;
  readonly #lines: Line[];
  readonly #heard: Line['message'][] = [];
  readonly #over = Promise.withResolvers<void>();
  #wake = () => {};

  /** As it was recorded, or as `change` makes it. */
  constructor(file: string, change: (lines: Line[]) => Line[] = (lines) => lines) {
    const lines = readFileSync(file, 'utf8').replaceAll('{{root}}', '/srv/own').trim().split('\n');
    this.#lines = change(lines.map((line) => JSON.parse(line) as Line));
  }

  /** As a socket is opened; it stays open until it is hung up. */
  open = async (onText: (text: string) => void) => {
    void this.#play(onText);
    return {
      send: (text: string) => {
        this.#heard.push(JSON.parse(text) as Line['message']);
        this.#wake();
      },
      close: () => this.#over.resolve(),
      ended: this.#over.promise,
    };
  };

  readonly played = Promise.withResolvers<void>();

  end(): void {
    this.#over.resolve();
  }

  async #play(onText: (text: string) => void): Promise<void> {
    for (const { from, message } of this.#lines) {
      if (from === 'agent') onText(JSON.stringify(message));
      else if (!(await this.#hears(message))) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.#heard.length > 0) this.problem ??= `said besides: ${JSON.stringify(this.#heard)}`;
    this.played.resolve();
  }

  async #hears(message: Line['message']): Promise<boolean> {
    const isSame = (said: Line['message']) => said.id === message.id && said.method === message.method;
    let place = this.#heard.findIndex(isSame);
    while (place < 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      place = this.#heard.findIndex(isSame);
    }
    const [said] = this.#heard.splice(place, 1);
    if (isDeepStrictEqual(said, message)) return true;
    this.problem = `said ${JSON.stringify(said)} instead of ${JSON.stringify(message)}`;
    return false;
  }
}
