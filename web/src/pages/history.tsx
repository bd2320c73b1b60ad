// What has ended: searched by word, newest first, with who decided what and how long it took.
import { Link, useLocation, useSearch } from 'wouter';
import { duration } from '../../../src/client/times.ts';
import type { AskView } from '../../../src/core/views.ts';
import { addressOf, OUTCOMES, type Query, queryOf, useHistory } from '../hooks/history.ts';
import { answersGiven, endSentence, heading, reasonOf, summary } from '../text/ask-text.ts';
import { failureText } from '../text/failure.ts';
import { oneLine } from '../text/visible.ts';
import { Age, sessionName } from '../ui/crumbs.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { ToneIcon } from '../ui/tone-icon.tsx';
import '../styles/history.css';

const KINDS = [
  ['All', undefined],
  ['Approvals', 'approval'],
  ['Questions', 'question'],
] as const;

export default function HistoryPage() {
  const [, navigate] = useLocation();
  const query = queryOf(useSearch());
  const change = (part: Partial<Query>) => navigate(addressOf({ ...query, ...part }), { replace: true });
  const history = useHistory(query);
  return (
    <div className="page-scroll">
      <div className="page-body">
        <div className="page-head">
          <h1>History</h1>
        </div>
        <search className="history-search">
          <SearchField
            label="Search the history"
            placeholder={'Tool, command, question, answer, session, person; "a phrase"'}
            value={query.q}
            onChange={(q) => change({ q })}
          />
          <fieldset className="filters" aria-label="Kind">
            {KINDS.map(([label, kind]) => (
              <button key={label} type="button" aria-pressed={query.kind === kind} onClick={() => change({ kind })}>
                {label}
              </button>
            ))}
          </fieldset>
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
        </search>
        {history.error && <p className="notice bad">{failureText(history.error)}</p>}
        <ul className="history-list" aria-label="Ended asks" aria-busy={history.isLooking}>
          {history.asks.map((ask) => (
            <li key={ask.ask_id}>
              <Row ask={ask} />
            </li>
          ))}
        </ul>
        <Foot history={history} isFiltered={addressOf(query) !== '/history'} />
      </div>
    </div>
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
        {from && [from.agent, ...from.project_ids].map(oneLine).join(' · ')} ·{' '}
        {sessionName({ session_id: ask.session_id, ...(from?.title !== undefined && { title: from.title }) })}
        {answer && answer.surface !== 'system' && ` · took ${tookOf(answer.answered_at_ms - ask.created_at_ms)}`}
      </span>
    </Link>
  );
}

const tookOf = (ms: number): string => (ms < 1000 ? 'under a second' : duration(ms));

function Foot({ history, isFiltered }: { history: ReturnType<typeof useHistory>; isFiltered: boolean }) {
  const { asks, isLooking, searchedTo, more } = history;
  const count = asks.length === 1 ? '1 ask' : `${asks.length} asks`;
  const back = searchedTo === undefined ? '' : ` back to ${new Date(searchedTo).toLocaleString()}`;
  return (
    <div className="history-foot">
      <p className="small muted" role="status">
        {isLooking ? `Looking${back}…` : asks.length > 0 ? `${count}${back}` : nothing(isFiltered, back)}
      </p>
      {more && (
        <button type="button" className="button" disabled={isLooking} onClick={more}>
          Further back
        </button>
      )}
    </div>
  );
}

const nothing = (isFiltered: boolean, back: string): string =>
  isFiltered ? `Nothing found${back}.` : 'Nothing has ended yet. What agents ask appears here once it is answered.';
