// Draws the asks as rows of one height, of which only those in view exist in the document. A click selects an ask; nothing
// here decides one.
import { Layers, MessageSquare } from 'lucide-react';
import { Fragment, type MouseEvent, memo, useEffect, useMemo, useRef } from 'react';
import { isQuestion } from '../../../src/client/action-summary.ts';
import type { InboxEntry } from '../../../src/client/inbox-model.ts';
import {
  isMarked as isRisk,
  NEAR_MS,
  RISK_LABELS,
  toneOf as riskTone,
  signsAt,
} from '../../../src/client/risk-text.ts';
import { countdown, duration } from '../../../src/client/times.ts';
import type { Section } from '../../../src/client/triage.ts';
import type { SessionView } from '../../../src/core/views.ts';
import { useCoarseNow, useNow } from '../hooks/clock.ts';
import { accident } from '../hooks/gesture.ts';
import { keepRows } from '../hooks/live-inbox.ts';
import { useMe } from '../hooks/me.ts';
import { useIsOneColumn } from '../hooks/narrow.ts';
import { takeRowFocus } from '../hooks/row-focus.ts';
import { revealRow, useAnchor, useRowWindow } from '../hooks/row-window.ts';
import { useUnsent } from '../hooks/unsent.ts';
import { repeatOf } from '../state/asked-again.ts';
import { endedWithin, HEADING_PX, layOut, ROW_PX, rowsWithin } from '../state/list-rows.ts';
import { ASKS_FOR_SECRET, asksForSecret, kindOf } from '../text/action-kind.ts';
import { endText, heading } from '../text/ask-text.ts';
import { agentName, originsOf, sessionName } from '../text/session-text.ts';
import { oneLine } from '../text/visible.ts';
import { URGENT_MS } from './age.tsx';
import { AskLine, isCode } from './ask-line.tsx';
import { KindIcon } from './kind-icon.tsx';
import { ToneIcon } from './tone-icon.tsx';
import { UnreachedMark } from './unreached-mark.tsx';
import './ask-list.css';

interface AskListProps {
  sections: readonly Section[];
  /** Search, order and groups: what the person changes moves the rows. */
  view: string;
  sessions: ReadonlyMap<string, SessionView>;
  selectedId: string | undefined;
  /** Selected to act on several. */
  markedIds: ReadonlySet<string>;
  /** How many approvals have the same shape, by ask. */
  groupSizes: ReadonlyMap<string, number>;
  onSelect: (askId: string) => void;
  onMark: (askId: string) => void;
}

export function AskList({
  sections,
  view,
  sessions,
  selectedId,
  markedIds,
  groupSizes,
  onSelect,
  onMark,
}: AskListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { topPx, heightPx } = useRowWindow(scroller);
  const layout = useMemo(() => layOut(sections), [sections]);
  const entries = useMemo(() => sections.flatMap((section) => section.entries), [sections]);
  const unsent = useUnsent();
  const top = useMemo(
    () => layout.rows.find((row) => 'entry' in row && row.entry.ask.ask_id === selectedId)?.topPx,
    [layout, selectedId],
  );
  useEffect(() => {
    if (top !== undefined && scroller.current) revealRow(scroller.current, top, ROW_PX);
  }, [top]);
  useAnchor(scroller, layout, view);
  const isOneColumn = useIsOneColumn();
  // Beside a card a row may leave as soon as nothing points at the list.
  const isPointedAt = () => isOneColumn || scroller.current?.matches(':hover') === true;
  useEffect(() => keepRows(endedWithin(layout, topPx, heightPx), isPointedAt));
  useEffect(() => () => keepRows(new Set(), () => false), []);
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
                  {oneLine(row.heading)} {row.count > 0 && <span className="muted">{row.count}</span>}
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
              aria-setsize={entries.length}
              aria-posinset={place + 1}
              data-ask={ask_id}
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
                isAskedAgain={repeatOf(entry.ask, entries) !== undefined}
                unsent={unsent.get(ask_id)}
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
  /** Another request has taken its place, because a file has changed. */
  isAskedAgain: boolean;
  /** Its decision is held back, or on its way. */
  unsent: string | undefined;
  groupSize: number;
  onSelect: (askId: string) => void;
  onMark: (askId: string) => void;
}

const Row = memo(function Row(props: RowProps) {
  const { entry, place, where, isSelected, isStop, isMarked, isAskedAgain, unsent, groupSize } = props;
  const { onSelect, onMark } = props;
  const { ask } = entry;
  const link = useRef<HTMLAnchorElement>(null);
  const me = useMe()?.name;
  const kind = useMemo(() => kindOf(ask.request), [ask.request]);
  const signs = signsAt(ask, useCoarseNow()).filter(isRisk);
  const labels = [
    ...(asksForSecret(ask.request) ? [[ASKS_FOR_SECRET, 'bad'] as const] : []),
    ...signs.map((sign) => [RISK_LABELS[sign.risk], riskTone(sign)] as const),
  ];
  const tone = labels[0]?.[1] ?? (kind === 'question' ? 'question' : '');
  useEffect(() => {
    if (isSelected) takeRowFocus(ask.ask_id, link.current);
  }, [isSelected, ask.ask_id]);
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (accident() === undefined) onSelect(ask.ask_id);
  };
  return (
    <>
      {!ask.answer && (
        <input
          type="checkbox"
          className="row-mark"
          tabIndex={-1}
          aria-label={`Select request ${place + 1}`}
          checked={isMarked}
          onChange={() => onMark(ask.ask_id)}
        />
      )}
      <a
        ref={link}
        className="row-link"
        href={`/asks/${ask.ask_id}`}
        tabIndex={isStop ? 0 : -1}
        aria-current={isSelected}
        onClick={open}
      >
        {ask.answer ? <ToneIcon ask={ask} /> : <KindIcon kind={kind} label={heading(ask.request)} tone={tone} />}
        <span className={`row-what ${isCode(ask) ? 'mono' : ''}`} dir="auto">
          <AskLine ask={ask} />
        </span>
        <RowAge ask={ask} />
        <span className="row-where">
          {ask.answer ? (
            endText(ask, me, isAskedAgain)
          ) : (
            <>
              {labels.map(([label, loudness]) => (
                <Fragment key={label}>
                  <span className={`row-sign ${loudness}`}>{label}</span>
                  {' · '}
                </Fragment>
              ))}
              {where}
            </>
          )}
        </span>
        {!ask.answer && <RowMarks ask={ask} unsent={unsent} groupSize={groupSize} />}
      </a>
    </>
  );
});

const RowMarks = ({ ask, unsent, groupSize }: Pick<RowProps, 'unsent' | 'groupSize'> & Pick<InboxEntry, 'ask'>) => (
  <span className="row-marks">
    <UnreachedMark askId={ask.ask_id} />
    {unsent && <span className="chip">{unsent}</span>}
    {isQuestion(ask.request) && ask.request.questions.length > 1 && (
      <span className="chip">{ask.request.questions.length} questions</span>
    )}
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
  </span>
);

function RowAge({ ask }: Pick<InboxEntry, 'ask'>) {
  const now = useNow();
  const left = (ask.expires_at_ms ?? Number.POSITIVE_INFINITY) - now;
  if (ask.status === 'pending' && left < NEAR_MS)
    return <span className={`row-age ${left < URGENT_MS ? 'urgent' : 'soon'}`}>{countdown(left)} left</span>;
  const [coarse] = duration(now - ask.created_at_ms).split(' ');
  return <span className="row-age">{coarse}</span>;
}

function whereOf({ ask }: InboxEntry, sessions: ReadonlyMap<string, SessionView>): string {
  const line = originsOf(sessions, ask);
  const own = line.at(-1);
  const requester = ask.asked_from?.requester;
  if (!own) return ask.session_id;
  return [
    agentName(own),
    ...own.project_ids.map(oneLine),
    [
      ...line.map(sessionName),
      ...(requester ? [sessionName(requester)] : (ask.request.lineage ?? []).map(oneLine)),
    ].join(' › '),
  ].join(' · ');
}
