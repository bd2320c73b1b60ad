// Lays out a card: what is asked in a part that scrolls, the actions below it. The frame of an ask also shows where it
// comes from and who else has seen it, and reports when this person has.
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, type Ref, useLayoutEffect, useRef } from 'react';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { takeCardFocus } from '../hooks/row-focus.ts';
import { useSighting } from '../hooks/sighting.ts';
import { AskMarks } from './ask-marks.tsx';
import { Comments } from './comments.tsx';
import { Crumbs } from './crumbs.tsx';
import { DeadlineNote } from './deadline-note.tsx';
import { SeenBy } from './seen-by.tsx';
import { ToldLine } from './told-line.tsx';
import './card-frame.css';

interface CardProps {
  label: string;
  askId?: string;
  /** Inside another page, not filling the screen. */
  isInline?: boolean;
  bodyRef?: Ref<HTMLDivElement>;
  body: ReactNode;
  actions: ReactNode;
}

export function Card({ label, askId, isInline = false, bodyRef, body, actions }: CardProps) {
  const scroller = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => takeCardFocus(scroller.current), []);
  return (
    <article className={`card ${isInline ? 'inline' : ''}`} aria-label={label} data-ask={askId}>
      <div className="card-scroll" tabIndex={-1} ref={scroller}>
        <div className="card-body column" ref={bodyRef}>
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

/** `isLabel`: what follows is the headline, and this names it. */
export const CardTitle = ({ children, isLabel = false }: { children: ReactNode; isLabel?: boolean }) => (
  <div className={`card-title ${isLabel ? 'is-label' : ''}`}>
    <h2>{children}</h2>
  </div>
);

/** Renders a kind of ask in its frame. `isWhole`: nothing of what is asked is truncated. */
export type Frame = (body: ReactNode, actions: ReactNode, isWhole?: boolean) => ReactNode;

interface CardFrameProps {
  ask: AskView;
  sessions: ReadonlyMap<string, SessionView>;
  isInline: boolean;
  isWhole: boolean;
  body: ReactNode;
  actions: ReactNode;
  onBack: (() => void) | undefined;
  backTo?: string | undefined;
}

export function CardFrame({
  ask,
  sessions,
  isInline,
  isWhole,
  body,
  actions,
  onBack,
  backTo = 'Inbox',
}: CardFrameProps) {
  const bodyRef = useSighting<HTMLDivElement>(ask, isWhole);
  const framed = (
    <>
      {onBack && (
        <div className="back">
          <button type="button" className="button quiet" onClick={onBack}>
            <ArrowLeft className="icon" /> {backTo}
          </button>
        </div>
      )}
      <div>
        <Crumbs ask={ask} sessions={sessions} />
        <AskMarks ask={ask} hasKeys={!isInline} />
        <ToldLine ask={ask} />
      </div>
      {body}
      <DeadlineNote ask={ask} />
      <Comments ask={ask} session={sessions.get(ask.session_id)} hasKeys={!isInline} />
      <SeenBy ask={ask} />
    </>
  );
  return <Card {...{ label: 'Request', askId: ask.ask_id, isInline, bodyRef, body: framed, actions }} />;
}
