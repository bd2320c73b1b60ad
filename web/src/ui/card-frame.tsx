// The frame of every card: where the ask comes from, who else has seen it, what it says, and what can be done. Notices
// when its person has seen it.
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { useSighting } from '../hooks/sighting.ts';
import { Crumbs } from './crumbs.tsx';
import { SeenBy } from './seen-by.tsx';

/** For the card of a kind: it knows whether all that is asked is in the body, and nothing folded away. */
export type Frame = (body: ReactNode, actions: ReactNode, isWhole?: boolean) => ReactNode;

interface CardFrameProps {
  ask: AskView;
  sessions: ReadonlyMap<string, SessionView>;
  requester: Parameters<typeof Crumbs>[0]['requester'];
  /** Inside another page, not filling the screen. */
  isInline: boolean;
  isWhole: boolean;
  body: ReactNode;
  actions: ReactNode;
  onBack: (() => void) | undefined;
}

export function CardFrame({ ask, sessions, requester, isInline, isWhole, body, actions, onBack }: CardFrameProps) {
  const said = useSighting<HTMLDivElement>(ask, isWhole);
  return (
    <article className={`card ${isInline ? 'inline' : ''}`} aria-label="Ask">
      <div className="card-scroll">
        <div className="card-body" ref={said}>
          {onBack && (
            <div className="back">
              <button type="button" className="button quiet" onClick={onBack}>
                <ArrowLeft className="icon" /> Inbox
              </button>
            </div>
          )}
          <div>
            <Crumbs ask={ask} sessions={sessions} requester={requester} />
            <SeenBy ask={ask} />
          </div>
          {body}
        </div>
      </div>
      {actions && (
        <footer className="actions">
          <div className="actions-in">{actions}</div>
        </footer>
      )}
    </article>
  );
}
