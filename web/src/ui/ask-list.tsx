// Draws the asks as rows of one height, of which only those in view exist in the document. A click selects an ask; nothing
// here decides one.
import { CircleQuestionMark, Layers, ShieldQuestionMark } from 'lucide-react';
import { type MouseEvent, memo, useEffect, useRef } from 'react';
import { isQuestion } from '../../../src/client/action-summary.ts';
import { type InboxEntry, lineage } from '../../../src/client/inbox-model.ts';
import { countdown, duration } from '../../../src/client/times.ts';
import type { SessionView } from '../../../src/core/views.ts';
import { useNow } from '../hooks/clock.ts';
import { revealRow, useRowWindow } from '../hooks/row-window.ts';
import { endSentence, heading, summary } from '../text/ask-text.ts';
import { agentName, sessionName } from '../text/session-text.ts';
import { oneLine } from '../text/visible.ts';
import { URGENT_MS } from './age.tsx';
import { ToneIcon } from './tone-icon.tsx';
import './ask-list.css';

const ROW_PX = 74;

interface AskListProps {
  entries: readonly InboxEntry[];
  sessions: ReadonlyMap<string, SessionView>;
  selectedId: string | undefined;
  /** How many approvals have the same shape, by ask. */
  groupSizes: ReadonlyMap<string, number>;
  onSelect: (askId: string) => void;
}

export function AskList({ entries, sessions, selectedId, groupSizes, onSelect }: AskListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { from, to } = useRowWindow(scroller, ROW_PX, entries.length);
  const at = entries.findIndex((entry) => entry.ask.ask_id === selectedId);
  useEffect(() => {
    if (at >= 0 && scroller.current) revealRow(scroller.current, at, ROW_PX);
  }, [at]);
  return (
    <div className="rows" ref={scroller}>
      {/* biome-ignore lint/a11y/useSemanticElements: rows are positioned absolutely, outside the flow of a list */}
      <div className="rows-all" role="list" aria-label="Asks" style={{ height: entries.length * ROW_PX }}>
        {entries.slice(from, to).map((entry, i) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          <div
            key={entry.ask.ask_id}
            role="listitem"
            aria-setsize={entries.length}
            aria-posinset={from + i + 1}
            className={`row ${entry.settledAtMs === undefined ? '' : 'settled'}`}
            style={{ height: ROW_PX, transform: `translateY(${(from + i) * ROW_PX}px)` }}
          >
            <Row
              entry={entry}
              where={whereOf(entry, sessions)}
              isSelected={entry.ask.ask_id === selectedId}
              groupSize={groupSizes.get(entry.ask.ask_id) ?? 1}
              onSelect={onSelect}
            />
          </div>
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  entry: InboxEntry;
  where: string;
  isSelected: boolean;
  groupSize: number;
  onSelect: (askId: string) => void;
}

const Row = memo(function Row({ entry, where, isSelected, groupSize, onSelect }: RowProps) {
  const { ask } = entry;
  const isApproval = !isQuestion(ask.request);
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onSelect(ask.ask_id);
  };
  return (
    <a className="row-link" href={`/asks/${ask.ask_id}`} aria-current={isSelected} onClick={open}>
      {ask.answer ? (
        <ToneIcon ask={ask} />
      ) : isApproval ? (
        <ShieldQuestionMark className="icon" aria-label="Approval" />
      ) : (
        <CircleQuestionMark className="icon question" aria-label="Question" />
      )}
      <span className="row-head">
        <span>{heading(ask.request)}</span>
        {groupSize > 1 && !ask.answer && (
          <span className="chip" title={`${groupSize} approvals of this shape`}>
            <Layers className="icon" /> {groupSize}
          </span>
        )}
      </span>
      <RowAge ask={ask} />
      <span className={`row-what ${isApproval ? 'mono' : ''}`}>
        {ask.answer ? endSentence(ask.answer) : summary(ask.request)}
      </span>
      <span className="row-where">{where}</span>
    </a>
  );
});

function RowAge({ ask }: Pick<InboxEntry, 'ask'>) {
  const now = useNow();
  const left = (ask.expires_at_ms ?? Number.POSITIVE_INFINITY) - now;
  if (ask.status === 'pending' && left < URGENT_MS) return <span className="row-age urgent">{countdown(left)}</span>;
  return <span className="row-age">{duration(now - ask.created_at_ms)}</span>;
}

function whereOf({ ask }: InboxEntry, sessions: ReadonlyMap<string, SessionView>): string {
  const line = lineage(sessions, ask.session_id);
  const own = line.at(-1);
  if (!own) return ask.session_id;
  return [
    agentName(own),
    ...own.project_ids.map(oneLine),
    [...line.map(sessionName), ...(ask.request.lineage ?? []).map(oneLine)].join(' › '),
  ].join(' · ');
}
