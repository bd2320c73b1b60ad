// What a person who only watches is told about a connection that is lost: once that it is, once that it is back, and
// after a while that we gave up. A break too short to notice is not worth a word.
import type { Remark } from './connection.ts';

/** Longer than a server takes to end a stream that is opened again at once. */
const WORTH_A_WORD_MS = 1000;

export interface Watch {
  remark: Remark;
  /** Whether the person can be spoken to now. */
  mayTell(): boolean;
  giveUpAfterMs: number;
  giveUp(): void;
}

/** To be told each time it is lost or open, however often that is. */
export function watchLink({ remark, mayTell, giveUpAfterMs, giveUp }: Watch) {
  let timers: NodeJS.Timeout[] | undefined;
  let isTold = false;
  const tell = () => {
    if (!mayTell()) return;
    isTold = true;
    remark('connection lost; trying again');
  };
  const end = () => {
    for (const timer of timers ?? []) clearTimeout(timer);
    timers = undefined;
  };
  return {
    lost(): void {
      timers ??= [setTimeout(tell, WORTH_A_WORD_MS), setTimeout(giveUp, giveUpAfterMs)];
    },
    open(): void {
      end();
      if (isTold) remark('connected again');
      isTold = false;
    },
    end,
  };
}
