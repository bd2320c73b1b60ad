// Catches what React cannot render and shows a page, or the exact text of that part, in its place. A chunk that could not be fetched reloads the page once
// the server is back. Refused requests never come here: they are shown where they were made.
import { Component, type ReactNode, useEffect } from 'react';
import { StandalonePage } from './standalone-page.tsx';

interface ErrorState {
  message: string | undefined;
}

/** React offers error boundaries as classes only. */
export class ErrorBoundary extends Component<{ children: ReactNode }, ErrorState> {
  override state: ErrorState = { message: undefined };

  static getDerivedStateFromError(error: unknown): ErrorState {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    const { message } = this.state;
    if (message === undefined) return this.props.children;
    return (
      <StandalonePage role="alert">
        {CHUNK_ERROR.test(message) ? <NotFetched /> : <NotRendered message={message} />}
        <div className="buttons">
          <button type="button" className="button primary" onClick={() => location.reload()}>
            Reload
          </button>
          <a className="button" href="/">
            Inbox
          </a>
        </div>
      </StandalonePage>
    );
  }
}

/** Shows `fallback` in place of one part that cannot be rendered, so that it never takes the page with it. */
export class RenderBoundary extends Component<{ fallback: ReactNode; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(error: unknown): { hasFailed: boolean } {
    // A chunk that could not be fetched is for the page: it reloads.
    if (error instanceof Error && CHUNK_ERROR.test(error.message)) throw error;
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}

const NotRendered = ({ message }: { message: string }) => (
  <p>
    This page is broken and cannot go on. Your agents and what they ask are not touched by it. Reload it; if that does
    not help, begin again at the inbox and report this: <code>{message}</code>
  </p>
);

/** What browsers and Vite say when a chunk or its style sheet could not be loaded. */
const CHUNK_ERROR = /preload|dynamically imported module|importing a module/i;
const POLL_MS = 1000;

function NotFetched() {
  useEffect(() => {
    const stop = new AbortController();
    void reloadWhenBack(stop.signal);
    return () => stop.abort();
  }, []);
  return (
    <p>
      A part of this page could not be fetched: the server cannot be reached, or has a newer one. What you typed stays.
      It reconnects automatically.
    </p>
  );
}

/** Only if the server was away at first: if it is up and the chunk is missing, reloading would loop. */
async function reloadWhenBack(signal: AbortSignal): Promise<void> {
  for (let wasAway = false; !signal.aborted; ) {
    const isUp = await fetch('/healthz', { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return wasAway ? location.reload() : undefined;
    wasAway = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
