// What a person who only watches is told about a connection that is lost: once that it is, once that it is back, and
// after a while that we gave up. A break too short to notice is not worth a word.

import { Failure } from './failure.ts';
import { ownName } from './program-name.ts';
import type { Remark } from './server-connection.ts';

/** Longer than a server takes to end a stream that is opened again at once. */
const WORTH_A_WORD_MS = 1000;

export interface Watch {
  runId: string;
  remark: Remark;
  /** Whether the person can be spoken to now. */
  mayTell?(): boolean;
  retryForMs: number;
  giveUp(why: Failure): void;
}

/** To be told each time it is lost or open, however often that is. */
export function watchLink({ runId, remark, mayTell, retryForMs, giveUp }: Watch) {
  let timers: NodeJS.Timeout[] | undefined;
  let isTold = false;
  const tell = () => {
    if (mayTell?.() === false) return;
    isTold = true;
    remark('connection lost; trying again');
  };
  const end = () => {
    for (const timer of timers ?? []) clearTimeout(timer);
    timers = undefined;
  };
  return {
    lost(): void {
      timers ??= [setTimeout(tell, WORTH_A_WORD_MS), setTimeout(() => giveUp(lostFor(runId)), retryForMs)];
    },
    open(): void {
      end();
      if (isTold) remark('connected again');
      isTold = false;
    },
    end,
  };
}

const lostFor = (runId: string): Failure =>
  new Failure(
    'unreachable',
    `the connection was lost and did not come back; how ${runId} goes on is not known`,
    `When the server is back: ${ownName()} runs show ${runId}`,
  );
