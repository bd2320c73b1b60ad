// The last resort: a part of the page that cannot be drawn takes all of it away. Says so, and what to do, in its place.
// Catches nothing else: what the server refuses is said where it was asked.
import { Component, type ReactNode } from 'react';
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
          <p>
            This page is broken and cannot go on. Your agents and what they ask are not touched by it. Reload it; if
            that does not help, begin again at the inbox and report this: <code>{problem}</code>
          </p>
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
