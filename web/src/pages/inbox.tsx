// Shows every pending ask of every session, live, and the selected one beside the list. Owns the selection, the search, and
// what the keys do to them.
import { Layers } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useRoute } from 'wouter';
import { groupsOf, shapeOf } from '../../../src/client/approval-groups.ts';
import { filtered } from '../../../src/client/inbox-filter.ts';
import { neighbour, openCount } from '../../../src/client/inbox-model.ts';
import type { AskView } from '../../../src/core/views.ts';
import { useCommands } from '../hooks/commands.ts';
import { movedByItself } from '../hooks/gesture.ts';
import { keepSelected, useInbox } from '../hooks/live-inbox.ts';
import { useMayAnswer } from '../hooks/me.ts';
import { toast } from '../hooks/toasts.ts';
import { summary } from '../text/ask-text.ts';
import { AskList } from '../ui/ask-list.tsx';
import { DismissibleNotice } from '../ui/dismissible-notice.tsx';
import { Filters } from '../ui/filters.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import './inbox.css';

const AskCard = lazy(() => import('../ui/ask-card.tsx'));
const PastAsk = lazy(() => import('../ui/past-ask.tsx'));
const GroupCard = lazy(() => import('../ui/group-card.tsx'));
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
const scrollCard = (pages: number): void => {
  const card = document.querySelector('.card-scroll');
  card?.scrollBy({ top: pages * card.clientHeight });
};

/** List and card are side by side. */
const isWide = () => matchMedia('(min-width: 1001px)').matches;

export function InboxPage({ onNewRun }: { onNewRun: (() => void) | undefined }) {
  const inbox = useInbox();
  const [, params] = useRoute('/asks/:id');
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const [openShape, setOpenShape] = useState<string>();
  const [batchRefused, setBatchRefused] = useState<string>();
  const search = useRef<HTMLInputElement>(null);
  const selectedId = params?.id;
  const entries = useMemo(() => filtered(inbox.entries, inbox.sessions, query), [inbox, query]);
  const groups = useMemo(() => groupsOf(entries), [entries]);
  const groupSizes = useMemo(
    () => new Map([...groups.values()].flatMap(({ members }) => members.map((ask) => [ask.ask_id, members.length]))),
    [groups],
  );
  const selected = useMemo(
    () => inbox.entries.find((entry) => entry.ask.ask_id === selectedId)?.ask,
    [inbox.entries, selectedId],
  );
  const select = (askId: string | undefined) => {
    setOpenShape(undefined);
    navigate(askId === undefined ? '/' : `/asks/${askId}`, {
      replace: selectedId !== undefined && askId !== undefined,
    });
  };

  useEffect(() => {
    keepSelected(selectedId);
    return () => keepSelected(undefined);
  }, [selectedId]);

  // On a wide screen an ask is always selected; after the last one was answered, the next that arrives.
  const [answeredId, setAnsweredId] = useState<string>();
  const isIdle = selectedId === undefined || (answeredId === selectedId && selected?.status !== 'pending');
  useEffect(() => {
    if (!isIdle || !isWide()) return;
    const next = neighbour(entries, selectedId);
    if (next === undefined) return;
    if (selectedId !== undefined || inbox.isLoaded) movedByItself();
    navigate(`/asks/${next}`, { replace: true });
  }, [isIdle, entries, selectedId, inbox.isLoaded, navigate]);

  // What is selected is always listed, so that a key decides nothing that the search has hidden.
  const isHidden = query !== '' && selectedId !== undefined && !entries.some(({ ask }) => ask.ask_id === selectedId);
  useEffect(() => {
    if (!isHidden) return;
    const [first] = entries;
    movedByItself();
    navigate(first && isWide() ? `/asks/${first.ask.ask_id}` : '/', { replace: true });
  }, [isHidden, entries, navigate]);

  const move = (by: number) => {
    const at = entries.findIndex((entry) => entry.ask.ask_id === selectedId);
    const to = entries[Math.max(0, Math.min(entries.length - 1, at + by))];
    if (to) select(to.ask.ask_id);
  };
  const done = (ask: AskView, what: string) => {
    toast(`${what}: ${summary(ask.request)}`);
    setAnsweredId(ask.ask_id);
    if (!isWide()) return select(undefined);
    const next = neighbour(entries, ask.ask_id);
    if (next === undefined) return;
    movedByItself();
    select(next);
  };
  useCommands({
    next: () => move(1),
    previous: () => move(-1),
    first: () => move(Number.NEGATIVE_INFINITY),
    last: () => move(Number.POSITIVE_INFINITY),
    search: () => search.current?.focus(),
    open: () => document.querySelector<HTMLElement>('.card :is(input, textarea), .card-scroll')?.focus(),
    'page-down': () => scrollCard(PAGE),
    'page-up': () => scrollCard(-PAGE),
    session: () => selected && navigate(`/sessions/${selected.session_id}`),
    back: () => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      if (query !== '') setQuery('');
      else if (!isWide()) select(undefined);
    },
  });

  const shape = selected?.status === 'pending' ? shapeOf(selected) : undefined;
  const mayAnswer = useMayAnswer();
  const group = shape === undefined || !mayAnswer ? undefined : groups.get(shape);
  const isEmpty = inbox.isLoaded && inbox.entries.length === 0 && selectedId === undefined;
  return (
    <div className={`inbox ${selectedId === undefined ? '' : 'has-selection'} ${isEmpty ? 'is-empty' : ''}`}>
      <section className="inbox-list" aria-label="Inbox">
        <div className="list-head">
          <div className="list-title">
            <h1>Inbox</h1>
            <span className="small muted">{inbox.isLoaded ? countText(openCount(inbox)) : 'loading…'}</span>
          </div>
          <SearchBox
            ref={search}
            label="Search and filter"
            placeholder="Search, or tool:bash is:question"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
          />
          <Filters
            label="Kind"
            choices={KINDS}
            value={query.match(KIND_TERM)?.[0] ?? ''}
            onChoose={(term) => setQuery(`${query.replace(KIND_TERM, '').trim()} ${term}`.trim())}
          />
        </div>
        {entries.length > 0 ? (
          <AskList {...{ entries, selectedId, groupSizes }} sessions={inbox.sessions} onSelect={select} />
        ) : (
          <p className="list-empty">
            {query !== '' ? 'Nothing matches this search.' : inbox.isLoaded ? 'Nothing waits for an answer.' : ''}
          </p>
        )}
      </section>
      <section className="inbox-detail" aria-label="Selected ask">
        {batchRefused !== undefined && (
          <DismissibleNotice text={batchRefused} onDismiss={() => setBatchRefused(undefined)} />
        )}
        <Suspense fallback={null}>
          {group && openShape === group.shape ? (
            <GroupCard
              group={group}
              sessions={inbox.sessions}
              onBack={() => setOpenShape(undefined)}
              onRefused={setBatchRefused}
            />
          ) : selected ? (
            <>
              {group && (
                <button type="button" className="group-bar" onClick={() => setOpenShape(group.shape)}>
                  <Layers className="icon" /> {group.members.length} approvals of this shape wait.{' '}
                  <span className="link">Decide them together</span>
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

const countText = (count: number): string => (count === 0 ? 'all clear' : `${count.toLocaleString('en')} waiting`);
