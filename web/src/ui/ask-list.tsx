// Draws the asks as rows of one height, of which only those in view exist in the document. A click selects an ask; nothing
// here decides one.
import { CircleQuestionMark, Layers, MessageSquare, ShieldQuestionMark } from 'lucide-react';
import { type MouseEvent, memo, useEffect, useMemo, useRef } from 'react';
import { isQuestion } from '../../../src/client/action-summary.ts';
import { type InboxEntry, lineage } from '../../../src/client/inbox-model.ts';
import { countdown, duration } from '../../../src/client/times.ts';
import type { Section } from '../../../src/client/triage.ts';
import type { SessionView } from '../../../src/core/views.ts';
import { useNow } from '../hooks/clock.ts';
import { takeRowFocus } from '../hooks/row-focus.ts';
import { revealRow, useRowWindow } from '../hooks/row-window.ts';
import { useHeldBack } from '../hooks/undo.ts';
import { HEADING_PX, layOut, ROW_PX, rowsWithin } from '../state/list-rows.ts';
import { endSentence, heading, summary } from '../text/ask-text.ts';
import { agentName, sessionName } from '../text/session-text.ts';
import { oneLine } from '../text/visible.ts';
import { URGENT_MS } from './age.tsx';
import { ToneIcon } from './tone-icon.tsx';
import { UnreachedMark } from './unreached-mark.tsx';
import './ask-list.css';

interface AskListProps {
  sections: readonly Section[];
  sessions: ReadonlyMap<string, SessionView>;
  selectedId: string | undefined;
  /** Selected to act on several. */
  markedIds: ReadonlySet<string>;
  /** How many approvals have the same shape, by ask. */
  groupSizes: ReadonlyMap<string, number>;
  onSelect: (askId: string) => void;
  onMark: (askId: string) => void;
}

export function AskList({ sections, sessions, selectedId, markedIds, groupSizes, onSelect, onMark }: AskListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { topPx, heightPx } = useRowWindow(scroller);
  const layout = useMemo(() => layOut(sections), [sections]);
  const count = useMemo(() => sections.reduce((sum, { entries }) => sum + entries.length, 0), [sections]);
  const heldIds = useHeldBack();
  const top = useMemo(
    () => layout.rows.find((row) => 'entry' in row && row.entry.ask.ask_id === selectedId)?.topPx,
    [layout, selectedId],
  );
  useEffect(() => {
    if (top !== undefined && scroller.current) revealRow(scroller.current, top, ROW_PX);
  }, [top]);
  const drawn = rowsWithin(layout, topPx, heightPx);
  // One row is a stop of the Tab key: the selected one, or the first.
  const isListed = top !== undefined;
  return (
    <div className={`rows ${markedIds.size > 0 ? 'has-marks' : ''}`} ref={scroller}>
      {/* biome-ignore lint/a11y/useSemanticElements: rows are positioned absolutely, outside the flow of a list */}
      <div className="rows-all" role="list" aria-label="Requests" style={{ height: layout.heightPx }}>
        {drawn.map((row) => {
          const transform = `translateY(${row.topPx}px)`;
          if ('heading' in row)
            return (
              // biome-ignore lint/a11y/useSemanticElements: as above
              <div
                key={`heading ${row.heading}`}
                role="listitem"
                className="row-section"
                style={{ height: HEADING_PX, transform }}
              >
                <h2>
                  {oneLine(row.heading)} <span className="muted">{row.count}</span>
                </h2>
              </div>
            );
          const { entry, place } = row;
          const { ask_id } = entry.ask;
          return (
            // biome-ignore lint/a11y/useSemanticElements: as above
            <div
              key={ask_id}
              role="listitem"
              aria-setsize={count}
              aria-posinset={place + 1}
              className={`row ${entry.settledAtMs === undefined ? '' : 'settled'}`}
              style={{ height: ROW_PX, transform }}
            >
              <Row
                entry={entry}
                place={place}
                where={whereOf(entry, sessions)}
                isSelected={ask_id === selectedId}
                isStop={isListed ? ask_id === selectedId : place === 0}
                isMarked={markedIds.has(ask_id)}
                isHeld={heldIds.has(ask_id)}
                groupSize={groupSizes.get(ask_id) ?? 1}
                onSelect={onSelect}
                onMark={onMark}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  entry: InboxEntry;
  place: number;
  where: string;
  isSelected: boolean;
  isStop: boolean;
  isMarked: boolean;
  /** Its allow is held back and can be undone. */
  isHeld: boolean;
  groupSize: number;
  onSelect: (askId: string) => void;
  onMark: (askId: string) => void;
}

const Row = memo(function Row(props: RowProps) {
  const { entry, place, where, isSelected, isStop, isMarked, isHeld, groupSize, onSelect, onMark } = props;
  const { ask } = entry;
  const link = useRef<HTMLAnchorElement>(null);
  const isApproval = !isQuestion(ask.request);
  useEffect(() => {
    if (isSelected) takeRowFocus(ask.ask_id, link.current);
  }, [isSelected, ask.ask_id]);
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onSelect(ask.ask_id);
  };
  return (
    <>
      <input
        type="checkbox"
        className="row-mark"
        tabIndex={-1}
        aria-label={`Select request ${place + 1}`}
        checked={isMarked}
        onChange={() => onMark(ask.ask_id)}
      />
      <a
        ref={link}
        className="row-link"
        href={`/asks/${ask.ask_id}`}
        tabIndex={isStop ? 0 : -1}
        aria-current={isSelected}
        onClick={open}
      >
        {ask.answer ? (
          <ToneIcon ask={ask} />
        ) : isApproval ? (
          <ShieldQuestionMark className="icon" aria-label="Approval" />
        ) : (
          <CircleQuestionMark className="icon question" aria-label="Question" />
        )}
        <span className="row-head">
          <span>{heading(ask.request)}</span>
          {!ask.answer && <RowMarks ask={ask} isHeld={isHeld} groupSize={groupSize} />}
        </span>
        <RowAge ask={ask} />
        <span className={`row-what ${isApproval ? 'mono' : ''}`}>
          {ask.answer ? endSentence(ask.answer) : summary(ask.request)}
        </span>
        <span className="row-where">{where}</span>
      </a>
    </>
  );
});

const RowMarks = ({ ask, isHeld, groupSize }: Pick<RowProps, 'isHeld' | 'groupSize'> & Pick<InboxEntry, 'ask'>) => (
  <>
    <UnreachedMark askId={ask.ask_id} />
    {isHeld && <span className="chip">Allowing…</span>}
    {ask.taken_by && <span className="chip">{oneLine(ask.taken_by.by)}</span>}
    {ask.comments && (
      <span className="chip">
        <MessageSquare className="icon" aria-label="Comments" /> {ask.comments.length}
      </span>
    )}
    {groupSize > 1 && (
      <span className="chip" title={`${groupSize} similar requests`}>
        <Layers className="icon" /> {groupSize}
      </span>
    )}
  </>
);

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
