// Searches the asks that have ended, newest first, and shows who decided each and how long that took.
import { Link, useLocation, useSearch } from 'wouter';
import { duration } from '../../../src/client/times.ts';
import type { AskView } from '../../../src/core/views.ts';
import { useHistory } from '../hooks/history.ts';
import { type HistoryQuery, historyAddress, historyQueryOf, OUTCOMES } from '../state/history-query.ts';
import { answersGiven, endSentence, heading, reasonOf, summary } from '../text/ask-text.ts';
import { failureText } from '../text/failure.ts';
import { agentName, sessionName } from '../text/session-text.ts';
import { oneLine } from '../text/visible.ts';
import { Age } from '../ui/age.tsx';
import { Filters } from '../ui/filters.tsx';
import { ListFoot } from '../ui/list-foot.tsx';
import { Page } from '../ui/page.tsx';
import { SearchBar } from '../ui/search-bar.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { ToneIcon } from '../ui/tone-icon.tsx';
import './history.css';

const KINDS = [
  ['All', undefined],
  ['Approvals', 'approval'],
  ['Questions', 'question'],
] as const;

export default function HistoryPage() {
  const [, navigate] = useLocation();
  const query = historyQueryOf(useSearch());
  const change = (part: Partial<HistoryQuery>) => navigate(historyAddress({ ...query, ...part }), { replace: true });
  const { asks, error, isLoading, searchedTo, more } = useHistory(query);
  return (
    <Page title="History">
      <SearchBar>
        <SearchField
          label="Search the history"
          placeholder={'Tool, command, question, answer, session, person; "a phrase"'}
          value={query.q}
          onChange={(q) => change({ q })}
        />
        <Filters label="Kind" choices={KINDS} value={query.kind} onChoose={(kind) => change({ kind })} />
        <select
          className="field history-outcome"
          aria-label="How it ended"
          value={query.status ?? ''}
          onChange={(event) => change({ status: OUTCOMES.find((status) => status === event.target.value) })}
        >
          <option value="">Any end</option>
          {OUTCOMES.map((status) => (
            <option key={status} value={status}>
              {status.charAt(0).toUpperCase() + status.slice(1)}
            </option>
          ))}
        </select>
      </SearchBar>
      {error && <p className="notice bad">{failureText(error)}</p>}
      <ul className="history-list" aria-label="Ended asks" aria-busy={isLoading}>
        {asks.map((ask) => (
          <li key={ask.ask_id}>
            <Row ask={ask} />
          </li>
        ))}
      </ul>
      <ListFoot isLoading={isLoading} more={more}>
        {found(asks.length, isLoading, searchedTo, historyAddress(query) !== '/history')}
      </ListFoot>
    </Page>
  );
}

function Row({ ask }: { ask: AskView }) {
  const { answer, asked_from: from } = ask;
  const given = answersGiven(ask)
    .map(({ text }) => text)
    .concat((answer && reasonOf(answer)) ?? [])
    .filter((text) => text !== '')
    .join(' · ');
  return (
    <Link href={`/asks/${ask.ask_id}`} className="history-row">
      <ToneIcon ask={ask} />
      <span className="history-what">
        <strong>{heading(ask.request)}</strong>{' '}
        <span className={ask.kind === 'approval' ? 'mono' : ''}>{summary(ask.request)}</span>
      </span>
      <span className="history-age small muted">
        <Age atMs={ask.created_at_ms} />
      </span>
      <span className="history-end small">
        {answer && endSentence(answer)}
        {given !== '' && <span className="muted">: {oneLine(given.slice(0, 300))}</span>}
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
  if (count > 0) return `${count === 1 ? '1 ask' : `${count} asks`}${back}`;
  return isFiltered
    ? `Nothing found${back}.`
    : 'Nothing has ended yet. What agents ask appears here once it is answered.';
}
