// Asks what is allowed from now on, and shows before it is given which past calls of the session it would have allowed and
// which it would still have asked. The server compares; nothing is decided here.
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { PastCall } from '../../../src/core/grant.ts';
import { api } from '../api.ts';
import type { Approval } from '../hooks/approval.ts';
import { useFetched } from '../hooks/queries.ts';
import { type AlwaysForm, alwaysOf, LIMITS, matchesText, openAlways, SCOPES } from '../state/always.ts';
import { failureText } from '../text/failure.ts';
import { AskLine } from './ask-line.tsx';
import { focus } from './reason-field.tsx';
import { Exact } from './text.tsx';
import './always-field.css';

export function AlwaysField({ askId, approval }: { askId: string; approval: Approval }) {
  const [form, setForm] = useState(openAlways);
  const change = (part: Partial<AlwaysForm>) => {
    approval.takeBack();
    setForm({ ...form, ...part });
  };
  const offered = useFetched({
    queryKey: ['always', askId],
    queryFn: () => api.grants.preview({ request_id: askId }),
  });
  const suggestions = offered.data?.suggestions ?? [];
  const always = alwaysOf(form, suggestions);
  const preview = useFetched({
    queryKey: ['ask', askId, 'always', always],
    queryFn: () => api.grants.preview({ request_id: askId, always }),
    enabled: offered.data !== undefined,
  });
  const error = preview.error ?? offered.error;
  const shown = preview.data;
  return (
    <section className="always" aria-label="Always allow">
      <h3>Grant in Holdpoint</h3>
      <p className="small muted">
        Holdpoint allows matching calls from now on without asking. Every use is logged, and you can revoke the grant
        under “Rules and grants”.
      </p>
      <fieldset className="always-choices">
        <legend className="label">Allow from now on</legend>
        {suggestions.map((matches, i) => (
          <label key={matchesText(matches)}>
            <input
              type="radio"
              ref={i === 0 ? focus : undefined}
              name={`always-${askId}`}
              checked={form.choice === i}
              onChange={() => change({ choice: i })}
            />
            <code>
              <Exact text={matchesText(matches)} />
            </code>
          </label>
        ))}
      </fieldset>
      <div className="always-limits">
        <select
          className="field"
          aria-label="Where"
          value={form.scope}
          onChange={(event) => change({ scope: event.target.value as AlwaysForm['scope'] })}
        >
          {SCOPES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <select
          className="field"
          aria-label="Until when"
          value={form.limit}
          onChange={(event) => change({ limit: Number(event.target.value) })}
        >
          {LIMITS.map(({ label }, i) => (
            <option key={label} value={i}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {error && <p className="notice">{failureText(error)}</p>}
      {shown && !shown.covers_request && <p className="notice">{shown.reason}</p>}
      {shown?.covers_request && (
        <>
          <PastCalls title="Would have been allowed in this session" calls={shown.would_match} />
          <PastCalls title="Would still be asked" calls={shown.would_not_match} />
        </>
      )}
      <div className="buttons">
        <button
          type="button"
          className="button primary"
          disabled={approval.submission.isSending || shown?.covers_request !== true || preview.isFetching}
          onClick={() => approval.allow([], always)}
        >
          <ShieldCheck className="icon" /> Allow and add grant
        </button>
      </div>
    </section>
  );
}

/** As lists show it; its text until that is fetched. */
function PastCallLine({ requestId, text }: { requestId: string; text: string }) {
  const { data } = useFetched({ queryKey: ['ask', requestId], queryFn: () => api.asks.get(requestId) });
  return data ? <AskLine ask={data} /> : <Exact text={text} />;
}

function PastCalls({ title, calls }: { title: string; calls: readonly PastCall[] }) {
  if (calls.length === 0) return null;
  return (
    <div className="always-calls">
      <h3>{title}</h3>
      <ul>
        {calls.map(({ request_id, text, calls: count }) => (
          <li key={request_id}>
            <code>
              <PastCallLine requestId={request_id} text={text} />
            </code>{' '}
            {count > 1 && <span className="muted">{count} times</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
