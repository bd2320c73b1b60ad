// Passes navigation keys to a choice prompt and keeps printable text away from it. Prompt libraries give letters a
// meaning of their own (h j k l move, a selects all): a typed word must neither move nor confirm a choice.

import { emitKeypressEvents, type Key } from 'node:readline';
import { PassThrough, type Readable } from 'node:stream';
import type { ReadStream } from 'node:tty';

export interface ChoiceKeys {
  /** What the prompt reads instead of the terminal. */
  readonly input: Readable;
  /** Stops reading the terminal. */
  release(): void;
}

/** Calls back with every printable text; a blank is a navigation key where it selects options. */
export function choiceKeys(terminal: Readable, onText: (text: string) => void, selectsWithBlank: boolean): ChoiceKeys {
  const { isTTY, setRawMode } = terminal as ReadStream;
  const input = Object.assign(new PassThrough(), {
    isTTY,
    setRawMode: (isRaw: boolean) => void (isTTY && setRawMode.call(terminal, isRaw)),
  });
  const onKeypress = (text: string | undefined, key: Key) => {
    const isText = text !== undefined && !/\p{Cc}/u.test(text) && !(selectsWithBlank && text === ' ');
    if (isText) onText(text);
    else if (key.sequence !== undefined) input.write(key.sequence);
  };
  emitKeypressEvents(terminal);
  const onEnd = () => void input.end();
  terminal.on('keypress', onKeypress).once('end', onEnd).resume();
  return {
    input,
    release() {
      terminal.off('keypress', onKeypress).off('end', onEnd).pause();
      input.destroy();
    },
  };
}
