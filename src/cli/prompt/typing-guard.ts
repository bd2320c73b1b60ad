// Delays a prompt that appears on its own until nothing has been typed for a moment. Keys typed before it appeared were
// meant for something else, such as a prompt that was just taken away, and are discarded.
import type { ReadStream } from 'node:tty';
import { JUST_MOVED_MS } from '../inbox/keys.ts';
import { paint } from '../output.ts';
import { line, span } from '../text/spans.ts';
import type { Terminal } from './ask-prompt.ts';

/** Longer than in the inbox: there a question has to be opened first, here a single Enter would answer it. */
const PAUSE_MS = 2 * JUST_MOVED_MS;
/** Ctrl-C and Ctrl-D take effect at once: leaving answers nothing. */
const LEAVE_KEYS = ['\u0003', '\u0004'];

/** Resolves with false when the person left or the ask is no longer open. */
export function waitForTypingPause({ input, output, signal }: Terminal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const { isTTY, setRawMode } = input as ReadStream;
  const setRaw = (isRaw: boolean) => void (isTTY && setRawMode.call(input, isRaw));
  let chunks = 0;
  let check: NodeJS.Immediate | undefined;
  const onData = (typed: Buffer) => {
    if (LEAVE_KEYS.some((key) => typed.includes(key))) return finish(false);
    pause.refresh();
    if (chunks === 0) output.write(`${paint(line(span('Keys typed before this appeared are ignored.', 'warn')))}\n`);
    chunks += 1;
  };
  const finish = (isReady: boolean) => {
    clearTimeout(pause);
    clearImmediate(check);
    input.off('data', onData).off('end', leave).pause();
    signal.removeEventListener('abort', leave);
    setRaw(false);
    resolve(isReady);
  };
  const leave = () => finish(false);
  const pause = setTimeout(() => {
    // After a suspend the timer fires before the keys typed meanwhile are read: look once more in the next turn.
    const before = chunks;
    check = setImmediate(() => chunks === before && finish(true));
  }, PAUSE_MS);
  signal.addEventListener('abort', leave, { once: true });
  setRaw(true);
  // A prompt before this one has paused the stream.
  input.on('data', onData).once('end', leave).resume();
  if (signal.aborted) leave();
  return promise;
}
