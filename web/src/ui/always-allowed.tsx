// Shows what people always allowed, each with a prepared rule and what that rule would have allowed. Changes nothing: the
// rule is copied, and a person adds it to the rules of the server.
import { Link } from 'wouter';
import type { RuleSuggestion, RuleSuggestionsView } from '../../../src/core/rule-suggestion.ts';
import { oneLine } from '../text/visible.ts';
import { CopyButton } from './copy-button.tsx';
import { waitText } from './plots.tsx';
import { Exact } from './text.tsx';
import './always-allowed.css';

export function AlwaysAllowed({ of: { suggestions, at_least, is_complete, looked_at } }: { of: RuleSuggestionsView }) {
  return (
    <section className="always-allowed" aria-label="Always allowed">
      <h2>Always allowed</h2>
      {!is_complete && <p className="small muted">Only the newest {looked_at} approvals were looked at.</p>}
      {suggestions.length === 0 ? (
        <p className="muted">
          Nothing has been allowed at least {at_least} times without exception. Risky actions, and those denied even
          once, are never suggested.
        </p>
      ) : (
        <ul>
          {suggestions.map((suggestion) => (
            <Suggestion key={JSON.stringify(suggestion.rule)} {...suggestion} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Suggestion({ rule, asked, lost_ms, calls, different_calls, work_folders }: RuleSuggestion) {
  const text = JSON.stringify(rule);
  const named = Object.values(rule.matches ?? {})
    .flat()
    .join(' · ');
  const more = different_calls - calls.length;
  return (
    <li className="box">
      <p>
        <code>{oneLine(named || rule.tool)}</code> asked {asked === 1 ? 'once' : `${asked} times`}, allowed every time
        <span className="muted">, waited {waitText(lost_ms)}</span>
      </p>
      <details>
        <summary className="small">Show the rule</summary>
        <p className="small">
          Add this to <code>rules.json</code> in the server’s state folder. Then nobody is asked, in any folder
          {work_folders.length > 0 && <> (so far: {work_folders.map(oneLine).join(', ')})</>}.
        </p>
        <div className="rule-text">
          <code>
            <Exact text={text} />
          </code>
          <CopyButton text={text} label="Copy the rule" />
        </div>
        <p className="small muted">It would have allowed:</p>
        <ul className="small">
          {calls.map(({ text: call, calls: times, request_id }) => (
            <li key={request_id}>
              <Link href={`/history/${request_id}`}>{oneLine(call)}</Link>
              {times > 1 && <span className="muted"> {times} times</span>}
            </li>
          ))}
          {more > 0 && <li className="muted">… and {more} other calls</li>}
        </ul>
      </details>
    </li>
  );
}
