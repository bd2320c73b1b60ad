// Shows how long ago something happened, or how long until it expires. Both are redrawn each second while on the screen.
import { countdown, duration } from '../../../src/client/times.ts';
import { useNow } from '../hooks/clock.ts';
import './age.css';

export function Age({ atMs }: { atMs: number }) {
  const ms = useNow() - atMs;
  return (
    <time dateTime={new Date(atMs).toISOString()} title={new Date(atMs).toLocaleString()}>
      {ms < 1000 ? 'just now' : `${duration(ms)} ago`}
    </time>
  );
}

/** From here on a deadline is shown as urgent. */
export const URGENT_MS = 60_000;

export function Countdown({ toMs }: { toMs: number }) {
  const leftMs = toMs - useNow();
  const text = leftMs <= 0 ? 'expiring now' : `expires in ${countdown(leftMs)}`;
  return <span className={`chip countdown ${leftMs < URGENT_MS ? 'bad' : 'warn'}`}>{text}</span>;
}
