// Says what was allowed from now on together with a request: the grant, in the words of its pattern, or what the agent had
// suggested.
import { Link } from 'wouter';
import type { GrantView } from '../../../src/core/grant.ts';
import type { AskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useFetched } from '../hooks/queries.ts';
import { matchesText, whereText } from '../state/always.ts';
import { suggestionsTaken } from '../state/suggestion.ts';
import { Exact } from './text.tsx';

/** What a sentence ends with: `, and always: make * in this session`. Without `isLinked`, no link inside another one. */
export function AlwaysGiven({ ask, isLinked = true }: { ask: AskView; isLinked?: boolean }) {
  const grantId = ask.answer?.grant_id;
  const { data } = useFetched({
    queryKey: ['grants', 'given', grantId],
    queryFn: async () => (await grants(ask)).find(({ grant_id }) => grant_id === grantId) ?? null,
    enabled: grantId !== undefined,
    staleTime: 0,
  });
  return (
    <>
      {grantId !== undefined && (
        <>
          , and always{data && <GrantText grant={data} />}
          {isLinked && (
            <>
              {' '}
              <Link className="link" href="/rules">
                Rules
              </Link>
            </>
          )}
        </>
      )}
      {suggestionsTaken(ask).map((label) => (
        <span key={label}>
          , with the agent’s suggestion: <Exact text={label} />
        </span>
      ))}
    </>
  );
}

const grants = async ({ session_id }: AskView): Promise<readonly GrantView[]> =>
  (await api.grants.list({ session_id, limit: 500 })).items;

const GrantText = ({ grant }: { grant: GrantView }) => (
  <>
    :{' '}
    <code>
      <Exact text={matchesText(grant.matches ?? {})} />
    </code>{' '}
    {whereText(grant)}
    {grant.revoked_at_ms !== undefined && ' (revoked since)'}
  </>
);
