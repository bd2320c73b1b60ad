// Before a prompt appears by itself: the person looks first. What was typed until then was meant for something else, such
// as a prompt that was taken away a moment ago, and is never taken for an answer. Asks nothing itself.
import type { ReadStream } from 'node:tty';
import { JUST_MOVED_MS } from '../inbox/keys.ts';
import { paint } from '../output.ts';
import { line, span } from '../text/spans.ts';
import type { Terminal } from './ask-prompt.ts';

/** Longer than in a list, where a question must be opened first: here a single Enter would answer it. */
const QUIET_MS = 2 * JUST_MOVED_MS;
/** Ctrl-C and Ctrl-D. Whoever leaves has answered nothing: that needs no second thought. */
const LEAVES = ['\u0003', '\u0004'];

/** Resolves when nothing was typed for a while. False: the person left, or there is nothing to ask about any more. */
export function lookFirst({ input, output, signal }: Terminal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const { isTTY, setRawMode } = input as ReadStream;
  const setRaw = (isRaw: boolean) => void (isTTY && setRawMode.call(input, isRaw));
  let heard = 0;
  let look: NodeJS.Immediate | undefined;
  const hear = (typed: Buffer) => {
    if (LEAVES.some((key) => typed.includes(key))) return finish(false);
    quiet.refresh();
    if (heard === 0) output.write(`${paint(line(span('Keys from before this was asked are not taken.', 'warn')))}\n`);
    heard += 1;
  };
  const finish = (isReady: boolean) => {
    clearTimeout(quiet);
    clearImmediate(look);
    input.off('data', hear).off('end', leave).pause();
    signal.removeEventListener('abort', leave);
    setRaw(false);
    resolve(isReady);
  };
  const leave = () => finish(false);
  const quiet = setTimeout(() => {
    // After a standstill, such as a suspended machine, what was typed meanwhile is read only now.
    const before = heard;
    look = setImmediate(() => heard === before && finish(true));
  }, QUIET_MS);
  signal.addEventListener('abort', leave, { once: true });
  setRaw(true);
  // A prompt before this one has paused it.
  input.on('data', hear).once('end', leave).resume();
  if (signal.aborted) leave();
  return promise;
}
