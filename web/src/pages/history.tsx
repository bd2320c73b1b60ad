// Searches the asks that have ended, newest first, and shows who decided each and how long that took.
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { duration } from '../../../src/client/times.ts';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { useCommands } from '../hooks/commands.ts';
import { useHistory } from '../hooks/history.ts';
import { useMe } from '../hooks/me.ts';
import { type HistoryQuery, historyAddress, historyQueryOf, OUTCOMES } from '../state/history-query.ts';
import { answersGiven, reasonOf } from '../text/answer-text.ts';
import { endSentence, unusedSentence } from '../text/ask-text.ts';
import { failureText } from '../text/failure.ts';
import { agentName, sessionName } from '../text/session-text.ts';
import { oneLine } from '../text/visible.ts';
import { Age } from '../ui/age.tsx';
import { AlwaysGiven } from '../ui/always-given.tsx';
import { AskLine, isCode } from '../ui/ask-line.tsx';
import { ExportButton } from '../ui/export-button.tsx';
import { Filters } from '../ui/filters.tsx';
import { ListFoot } from '../ui/list-foot.tsx';
import { Page } from '../ui/page.tsx';
import PastAsk from '../ui/past-ask.tsx';
import { QueryNote } from '../ui/query-note.tsx';
import { SearchBar } from '../ui/search-bar.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { ToneIcon } from '../ui/tone-icon.tsx';
import './history.css';

const KINDS = [
  ['All', undefined],
  ['Approvals', 'approval'],
  ['Questions', 'question'],
] as const;

export default function HistoryPage({ askId }: { askId: string | undefined }) {
  const [, navigate] = useLocation();
  const search = useSearch();
  const query = historyQueryOf(search);
  const change = (part: Partial<HistoryQuery>) => navigate(historyAddress({ ...query, ...part }), { replace: true });
  const { asks, error, isLoading, searchedTo, more } = useHistory(query);
  const list = historyAddress(query);
  const open = (id: string | undefined) =>
    navigate(id === undefined ? list : addressOf(id, search), { replace: askId !== undefined });
  // Back in the list, the focus is on the row that was opened.
  const opened = useRef(askId);
  useEffect(() => {
    if (askId === undefined && opened.current !== undefined)
      document.querySelector<HTMLElement>(`.history-row[href^="/history/${CSS.escape(opened.current)}"]`)?.focus();
    opened.current = askId;
  }, [askId]);
  const [at, setAt] = useState(0);
  const place = askId === undefined ? at : asks.findIndex(({ ask_id }) => ask_id === askId);
  const move = (by: number) => {
    const to = Math.max(0, Math.min(asks.length - 1, place + by));
    setAt(to);
    const row = document.querySelectorAll<HTMLElement>('.history-row')[to];
    if (askId !== undefined) open(asks[to]?.ask_id);
    else row?.focus();
  };
  useCommands({
    next: () => move(document.activeElement?.matches('.history-row') || askId !== undefined ? 1 : 0),
    previous: () => move(-1),
    ...(askId !== undefined && { back: () => open(undefined) }),
  });
  if (askId !== undefined)
    return (
      <div className="history-detail">
        <h1 className="visually-hidden">Resolved request</h1>
        <PastAsk key={askId} askId={askId} sessions={NO_SESSIONS} backTo="History" onBack={() => open(undefined)} />
      </div>
    );
  return (
    <Page title="History">
      <SearchBar>
        <SearchField
          label="Search the history"
          placeholder="Search, or by:name tool:bash after:2026-11-01 -word"
          value={query.q}
          onChange={(q) => change({ q })}
        />
        <Filters label="Kind" choices={KINDS} value={query.kind} onChoose={(kind) => change({ kind })} />
        <select
          className="field history-outcome"
          aria-label="Outcome"
          value={query.status ?? ''}
          onChange={(event) => change({ status: OUTCOMES.find((status) => status === event.target.value) })}
        >
          <option value="">Any outcome</option>
          {OUTCOMES.map((status) => (
            <option key={status} value={status}>
              {status.charAt(0).toUpperCase() + status.slice(1)}
            </option>
          ))}
        </select>
      </SearchBar>
      <QueryNote query={query.q} />
      {asks.length > 0 && <ExportButton query={query} />}
      {error && <p className="notice bad">{failureText(error)}</p>}
      <ul className="history-list" aria-label="Resolved requests" aria-busy={isLoading}>
        {asks.map((ask) => (
          <li key={ask.ask_id}>
            <Row ask={ask} href={addressOf(ask.ask_id, search)} />
          </li>
        ))}
      </ul>
      <ListFoot isLoading={isLoading} more={more}>
        {found(asks.length, isLoading, searchedTo, historyAddress(query) !== '/history')}
      </ListFoot>
    </Page>
  );
}

const NO_SESSIONS: ReadonlyMap<string, SessionView> = new Map();

/** Its own address, with the search it was found by. */
const addressOf = (askId: string, search: string): string => `/history/${askId}${search === '' ? '' : `?${search}`}`;

function Row({ ask, href }: { ask: AskView; href: string }) {
  const { answer, asked_from: from } = ask;
  const me = useMe()?.name;
  const unused = unusedSentence(ask);
  const given = answersGiven(ask)
    .map(({ text }) => text)
    .concat(answer?.updated_input ? 'as edited' : [], (answer && reasonOf(answer)) ?? [])
    .filter((text) => text !== '')
    .join(' · ');
  return (
    <Link href={href} className="history-row">
      <ToneIcon ask={ask} />
      <span className="history-what">
        <strong className={isCode(ask) ? 'mono' : ''}>
          <AskLine ask={ask} />
        </strong>
      </span>
      <span className="history-age small muted">
        <Age atMs={answer?.answered_at_ms ?? ask.created_at_ms} />
      </span>
      <span className="history-end small">
        {answer && endSentence(answer, me, ask.request)}
        <AlwaysGiven ask={ask} isLinked={false} />
        {given !== '' && <span className="muted">: {oneLine(given.slice(0, 300))}</span>}
        {unused !== '' && `. ${unused}`}
      </span>
      <span className="history-where tiny muted">
        {from && [agentName({ ...from, session_id: ask.session_id }), ...from.project_ids.map(oneLine)].join(' · ')} ·{' '}
        {sessionName({ session_id: ask.session_id, ...(from?.title !== undefined && { title: from.title }) })}
        {answer && answer.surface !== 'system' && ` · took ${tookText(answer.answered_at_ms - ask.created_at_ms)}`}
      </span>
    </Link>
  );
}

const tookText = (ms: number): string => (ms < 1000 ? 'under a second' : duration(ms));

function found(count: number, isLoading: boolean, searchedTo: number | undefined, isFiltered: boolean): string {
  const back = searchedTo === undefined ? '' : ` back to ${new Date(searchedTo).toLocaleString()}`;
  if (isLoading) return `Looking${back}…`;
  if (count > 0) return `${count === 1 ? '1 request' : `${count} requests`}${back}`;
  return isFiltered ? `Nothing found${back}.` : 'Nothing here yet. Requests appear once they are answered or expire.';
}
