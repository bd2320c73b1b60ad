// The last resort: a part of the page that cannot be drawn takes all of it away. Says so, and what to do, in its place;
// where it could not be fetched because the server was away, it goes on when the server is back. Catches nothing else: what
// the server refuses is said where it was asked.
import { Component, type ReactNode, useEffect } from 'react';
import { Mark } from './nav.tsx';

interface Broken {
  problem: string | undefined;
}

/** Only a class can be told of it. */
export class WhenBroken extends Component<{ children: ReactNode }, Broken> {
  override state: Broken = { problem: undefined };

  static getDerivedStateFromError(error: unknown): Broken {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return (
      <main className="sign-in" role="alert">
        <div className="sign-in-box">
          <div className="brand">
            <Mark /> Holdpoint
          </div>
          {NOT_FETCHED.test(problem) ? <NotFetched /> : <NotDrawn problem={problem} />}
          <div className="buttons">
            <button type="button" className="button primary" onClick={() => location.reload()}>
              Reload
            </button>
            <a className="button" href="/">
              Inbox
            </a>
          </div>
        </div>
      </main>
    );
  }
}

const NotDrawn = ({ problem }: { problem: string }) => (
  <p>
    This page is broken and cannot go on. Your agents and what they ask are not touched by it. Reload it; if that does
    not help, begin again at the inbox and report this: <code>{problem}</code>
  </p>
);

/** As browsers, and what bundled the page, say that a script or a style did not come. */
const NOT_FETCHED = /preload|dynamically imported module|importing a module/i;
const LOOK_MS = 1000;

function NotFetched() {
  useEffect(() => {
    const stop = new AbortController();
    void reloadWhenBack(stop.signal);
    return () => stop.abort();
  }, []);
  return (
    <p>
      A part of this page could not be fetched: the server cannot be reached, or has a newer one. What you typed stays.
      This page goes on by itself when the server is back.
    </p>
  );
}

/** Only if the server was seen to be away: if it is there and the part is not, a reload by itself would never end. */
async function reloadWhenBack(signal: AbortSignal): Promise<void> {
  for (let wasAway = false; !signal.aborted; ) {
    const isThere = await fetch('/healthz', { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return wasAway ? location.reload() : undefined;
    wasAway = true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
