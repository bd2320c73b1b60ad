// Shows every pending ask of every session, live, and the selected one beside the list. Owns the selection, the search, and
// what the keys do to them.
import { Layers } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useRoute, useSearch } from 'wouter';
import { type ApprovalGroup, groupsOf, MARKED, markedGroupOf, shapeOf } from '../../../src/client/approval-groups.ts';
import { filtered } from '../../../src/client/inbox-filter.ts';
import { isOpen, neighbour, openCount } from '../../../src/client/inbox-model.ts';
import { arranged, isUrgent } from '../../../src/client/triage.ts';
import type { AskView } from '../../../src/core/views.ts';
import { useCoarseNow } from '../hooks/clock.ts';
import { useCommands } from '../hooks/commands.ts';
import { movedByItself } from '../hooks/gesture.ts';
import { keepSelected, useInbox } from '../hooks/live-inbox.ts';
import { useMayAnswer } from '../hooks/me.ts';
import { useStill } from '../hooks/press.ts';
import { focusCard, wantRowFocus } from '../hooks/row-focus.ts';
import { dismissPassing, toast } from '../hooks/toasts.ts';
import { setUndoneGroup, useUndoneGroup, useUnsent } from '../hooks/unsent.ts';
import { type Triage, triageOf, triageSearch } from '../state/triage-address.ts';
import { AskList } from '../ui/ask-list.tsx';
import { DismissibleNotice } from '../ui/dismissible-notice.tsx';
import { Filters } from '../ui/filters.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import './inbox.css';

const AskCard = lazy(() => import('../ui/ask-card.tsx'));
const PastAsk = lazy(() => import('../ui/past-ask.tsx'));
const GroupCard = lazy(() => import('../ui/group-card.tsx'));
const TriageBar = lazy(() => import('../ui/triage-bar.tsx'));
const MarkedBar = lazy(() => import('../ui/marked-bar.tsx'));
const EmptyInbox = lazy(() => import('../ui/empty-inbox.tsx'));

/** By the term of the search that selects it. */
const KINDS = [
  ['All', ''],
  ['Approvals', 'is:approval'],
  ['Questions', 'is:question'],
] as const;
const KIND_TERM = /\bis:(?:approval|question)\b/g;

/** A little less than what is in view, so that no line is skipped. */
const PAGE = 0.9;
const LINE = 0.07;
const ALL = 1e4;
const scrollCard = (pages: number) => (): void => {
  const card = document.querySelector('.card-scroll');
  card?.scrollBy({ top: pages * card.clientHeight });
};

/** List and card are side by side. */
const isWide = () => matchMedia('(min-width: 1001px)').matches;

export function InboxPage({ onNewRun }: { onNewRun: (() => void) | undefined }) {
  const inbox = useInbox();
  const [, params] = useRoute('/asks/:id');
  const [, navigate] = useLocation();
  const triage = triageOf(useSearch());
  const { q, sort, group: grouping } = triage;
  const [openGroup, setOpenGroup] = useState<{ shape: string; askIds?: readonly string[] }>();
  const [markedIds, setMarkedIds] = useState<ReadonlySet<string>>(new Set());
  const [batchRefused, setBatchRefused] = useState<string>();
  const search = useRef<HTMLInputElement>(null);
  const selectedId = params?.id;
  const now = useCoarseNow();
  const found = useMemo(() => filtered(inbox.entries, inbox.sessions, q, now), [inbox, q, now]);
  const latestSections = useMemo(
    () => arranged(found, inbox.sessions, { sort, group: grouping }, now),
    [found, inbox.sessions, sort, grouping, now],
  );
  const sections = useStill(latestSections);
  const entries = useMemo(() => sections.flatMap((section) => section.entries), [sections]);
  const groups = useMemo(() => groupsOf(entries), [entries]);
  const groupSizes = useMemo(
    () => new Map([...groups.values()].flatMap(({ members }) => members.map((ask) => [ask.ask_id, members.length]))),
    [groups],
  );
  const selected = useMemo(
    () => inbox.entries.find((entry) => entry.ask.ask_id === selectedId)?.ask,
    [inbox.entries, selectedId],
  );
  const addressOf = (askId: string | undefined, as: Triage = triage) =>
    `${askId === undefined ? '/' : `/asks/${askId}`}${triageSearch(as)}`;
  const select = (askId: string | undefined) => {
    setAnsweredId(undefined);
    setOpenGroup(undefined);
    // List and card take each other's place: the next tap on the same spot was meant for what was there.
    if (!isWide()) movedByItself();
    navigate(addressOf(askId), { replace: selectedId !== undefined && askId !== undefined });
  };
  /** The person opens it. */
  const open = (askId: string) => {
    dismissPassing(askId);
    select(askId);
  };
  const change = (part: Partial<Triage>) => navigate(addressOf(selectedId, { ...triage, ...part }), { replace: true });
  const latest = useRef({ entries, selectedId, select });
  latest.current = { entries, selectedId, select };

  useEffect(() => {
    keepSelected(selectedId);
    return () => keepSelected(undefined);
  }, [selectedId]);

  // On a wide screen a request is always selected; after the last one was answered, the next that arrives.
  const [answeredId, setAnsweredId] = useState<string>();
  const isIdle = selectedId === undefined || (answeredId === selectedId && selected?.status !== 'pending');
  const view = triageSearch(triage);
  useEffect(() => {
    if (!isIdle || !isWide()) return;
    const next = neighbour(entries, selectedId);
    if (next === undefined) return;
    if (selectedId !== undefined || inbox.isLoaded) movedByItself();
    // The focus is on the row of the one before.
    if (selectedId !== undefined) wantRowFocus(next);
    navigate(`/asks/${next}${view}`, { replace: true });
  }, [isIdle, entries, selectedId, inbox.isLoaded, navigate, view]);

  // What is selected is always listed, so that a key decides nothing that the search has hidden.
  const isHidden = q !== '' && selectedId !== undefined && !entries.some(({ ask }) => ask.ask_id === selectedId);
  useEffect(() => {
    if (!isHidden) return;
    const [first] = entries;
    movedByItself();
    navigate(`${first && isWide() ? `/asks/${first.ask.ask_id}` : '/'}${view}`, { replace: true });
  }, [isHidden, entries, navigate, view]);

  const move = (by: number) => {
    const at = entries.findIndex((entry) => entry.ask.ask_id === selectedId);
    const to = entries[Math.max(0, Math.min(entries.length - 1, at + by))];
    if (!to) return;
    wantRowFocus(to.ask.ask_id);
    open(to.ask.ask_id);
  };
  /** To the next open request, unless the person has gone on already. */
  const goOn = (ask: AskView, isOver: (askId: string) => boolean = () => false) => {
    const shown = latest.current;
    if (shown.selectedId !== ask.ask_id) return;
    const left = shown.entries.filter((entry) => entry.ask.ask_id === ask.ask_id || !isOver(entry.ask.ask_id));
    const urgent = left.filter((entry) => entry.ask.ask_id !== ask.ask_id && isUrgent(entry.ask, Date.now()));
    const next = neighbour(urgent, undefined) ?? neighbour(left, ask.ask_id);
    if (next === undefined && isWide()) return;
    movedByItself();
    wantRowFocus(next);
    shown.select(next);
  };
  const unsent = useUnsent();
  const done = (ask: AskView) => {
    setAnsweredId(ask.ask_id);
    goOn(ask, (askId) => unsent.has(askId));
  };
  const goOnFrom = (asks: readonly AskView[]) => {
    const shown = asks.find(({ ask_id }) => ask_id === latest.current.selectedId);
    const decidedIds = new Set(asks.map(({ ask_id }) => ask_id));
    if (shown) goOn(shown, (askId) => decidedIds.has(askId) || unsent.has(askId));
    return shown;
  };
  const doneTogether = (asks: readonly AskView[]) => {
    const shown = goOnFrom(asks);
    if (shown) setAnsweredId(shown.ask_id);
  };
  const mark = (askId: string) =>
    setMarkedIds((before) => {
      const next = new Set(before);
      if (!next.delete(askId)) next.add(askId);
      return next;
    });
  const mayAnswer = useMayAnswer();
  const marked = entries
    .filter(({ ask }) => markedIds.has(ask.ask_id) && ask.status === 'pending')
    .map(({ ask }) => ask);

  const shape = selected?.status === 'pending' ? shapeOf(selected) : undefined;
  const similar = shape === undefined || !mayAnswer ? undefined : groups.get(shape);
  const together = marked.filter((ask) => shapeOf(ask) !== undefined);
  const markedGroup = mayAnswer && together.length > 1 ? markedGroupOf(together) : undefined;
  const group = [markedGroup, similar].find((each) => each && each.shape === openGroup?.shape);
  const undone = useUndoneGroup();
  useEffect(() => {
    if (!undone) return;
    if (undone.shape === MARKED) setMarkedIds((before) => new Set([...before, ...undone.askIds]));
    setOpenGroup(undone);
    setUndoneGroup(undefined);
  }, [undone]);
  const openGroupOf = (opened: ApprovalGroup) => {
    setOpenGroup({ shape: opened.shape });
    focusCard();
  };
  const openTogether = () => {
    const isSelected = marked.length > 1;
    const opened = isSelected ? markedGroup : similar;
    if (!opened)
      return void toast(`${isSelected ? 'Each selected request is decided alone' : 'No similar requests'}.`, 'warn');
    openGroupOf(opened);
  };
  useCommands({
    next: () => move(1),
    previous: () => move(-1),
    first: () => move(Number.NEGATIVE_INFINITY),
    last: () => move(Number.POSITIVE_INFINITY),
    search: () => search.current?.focus(),
    open: () => document.querySelector<HTMLElement>('.card :is(input, textarea), .card-scroll')?.focus(),
    'page-down': scrollCard(PAGE),
    'page-up': scrollCard(-PAGE),
    'line-down': scrollCard(LINE),
    'line-up': scrollCard(-LINE),
    top: scrollCard(-ALL),
    bottom: scrollCard(ALL),
    session: () => selected && navigate(`/sessions/${selected.session_id}`),
    mark: () => selected && mark(selected.ask_id),
    'mark-all': () => setMarkedIds(new Set(entries.map(({ ask }) => ask.ask_id))),
    ...(mayAnswer && { together: openTogether }),
    back: () => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      if (markedIds.size > 0) setMarkedIds(new Set());
      else if (q !== '') change({ q: '' });
      else if (!isWide()) select(undefined);
    },
  });

  const isEmpty = inbox.isLoaded && inbox.entries.length === 0 && selectedId === undefined;
  return (
    <div className={`inbox ${selectedId === undefined ? '' : 'has-selection'} ${isEmpty ? 'is-empty' : ''}`}>
      <section className="inbox-list" aria-label="Inbox">
        <div className="list-head">
          <div className="list-title">
            <h1>Inbox</h1>
            <span className="small muted" role="status">
              {inbox.isLoaded ? countText(found.filter(isOpen).length, openCount(inbox)) : 'Loading…'}
            </span>
          </div>
          <SearchBox
            ref={search}
            label="Search and filter"
            placeholder="Search, or project:shop -tool:read"
            value={q}
            onChange={(event) => change({ q: event.target.value })}
            onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
          />
          <Filters
            label="Kind"
            choices={KINDS}
            value={q.match(KIND_TERM)?.[0] ?? ''}
            onChoose={(term) => change({ q: `${q.replace(KIND_TERM, '').trim()} ${term}`.trim() })}
          />
          <Suspense fallback={<div className="triage-space" />}>
            <TriageBar triage={triage} onChange={change} />
          </Suspense>
        </div>
        {marked.length > 0 && mayAnswer && (
          <Suspense fallback={null}>
            <MarkedBar asks={marked} onTogether={markedGroup && openTogether} onClear={() => setMarkedIds(new Set())} />
          </Suspense>
        )}
        {entries.length > 0 ? (
          <AskList
            {...{ sections, view, selectedId, markedIds, groupSizes }}
            sessions={inbox.sessions}
            onSelect={open}
            onMark={mark}
          />
        ) : (
          <p className="list-empty">
            {q !== '' ? 'Nothing matches this search.' : inbox.isLoaded ? 'Nothing is waiting.' : ''}
          </p>
        )}
      </section>
      <section className="inbox-detail" aria-label="Selected request">
        <h1 className="visually-hidden detail-title">Request</h1>
        {batchRefused !== undefined && (
          <DismissibleNotice text={batchRefused} onDismiss={() => setBatchRefused(undefined)} />
        )}
        <Suspense fallback={null}>
          {group ? (
            <GroupCard
              key={group.shape}
              group={group}
              marked={marked}
              checkedIds={openGroup?.askIds}
              sessions={inbox.sessions}
              onBack={() => setOpenGroup(undefined)}
              onRefused={setBatchRefused}
              onHeld={goOnFrom}
              onDone={doneTogether}
            />
          ) : selected ? (
            <>
              {similar && (
                <button type="button" className="group-bar" onClick={() => openGroupOf(similar)}>
                  <Layers className="icon" /> {similar.members.length} similar requests{' '}
                  <span className="link">Review together</span>
                </button>
              )}
              <AskCard
                key={selected.ask_id}
                ask={selected}
                sessions={inbox.sessions}
                isInline={false}
                hasKeys
                onBack={() => select(undefined)}
                onDone={done}
                onHeld={(ask) => goOn(ask, (askId) => unsent.has(askId))}
              />
            </>
          ) : selectedId !== undefined && inbox.isLoaded ? (
            <PastAsk key={selectedId} askId={selectedId} sessions={inbox.sessions} onBack={() => select(undefined)} />
          ) : isEmpty ? (
            <EmptyInbox onNewRun={onNewRun} />
          ) : null}
        </Suspense>
      </section>
    </div>
  );
}

function countText(shown: number, open: number): string {
  if (open === 0) return 'All clear';
  const all = open.toLocaleString('en');
  return shown === open ? `${all} waiting` : `${shown.toLocaleString('en')} of ${all}`;
}
