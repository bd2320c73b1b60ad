// Lists what decides approvals without a person: grants, which can be revoked here, and the server's rules in their order.
import type { GrantView } from '../../../src/core/grant.ts';
import type { SourcedRuleView } from '../../../src/core/rule-views.ts';
import { api } from '../api.ts';
import { useMayAnswer } from '../hooks/me.ts';
import { useFetched } from '../hooks/queries.ts';
import { matchesText } from '../state/always.ts';
import { failureText } from '../text/failure.ts';
import { Age } from '../ui/age.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Page } from '../ui/page.tsx';
import { Exact } from '../ui/text.tsx';
import './rules.css';

export default function RulesPage() {
  const grants = useFetched({ queryKey: ['grants'], queryFn: () => api.grants.list({ limit: 500 }), staleTime: 0 });
  const rules = useFetched({ queryKey: ['rules'], queryFn: () => api.rules.list({ limit: 500 }), staleTime: 0 });
  const error = grants.error ?? rules.error;
  const [builtIn = [], own = []] = [true, false].map((is) =>
    rules.data?.rules.filter(({ source }) => (source === 'builtin') === is),
  );
  const usable = grants.data?.items.filter(({ is_usable }) => is_usable) ?? [];
  return (
    <Page title="Rules and grants">
      {error && <p className="notice bad">{failureText(error)}</p>}
      {rules.data?.fault !== undefined && <p className="notice bad">{rules.data.fault}</p>}
      <section aria-label="Grants">
        <h2>Allowed in advance</h2>
        {grants.data && usable.length === 0 && (
          <p className="muted">Nothing yet. “Always…” on a request adds a grant here.</p>
        )}
        <ul className="ruled">
          {usable.map((grant) => (
            <GrantRow key={grant.grant_id} grant={grant} onRevoked={() => void grants.refetch()} />
          ))}
        </ul>
      </section>
      <section aria-label="Rules">
        <h2>Rules, in the order they are tried</h2>
        {builtIn.length > 0 && (
          <details>
            <summary>
              {builtIn.length} built-in rules come first: a change in a <code>.holdpoint</code> folder always requires
              approval
            </summary>
            <RuleList rules={builtIn} />
          </details>
        )}
        {rules.data && own.length === 0 && <p className="muted">No rules of your own.</p>}
        <RuleList rules={own} />
        {rules.data && rules.data.total > rules.data.rules.length && (
          <p className="muted">
            These are the first {rules.data.rules.length} of {rules.data.total}.
          </p>
        )}
      </section>
    </Page>
  );
}

const WHERE = { session: 'in one session', project: 'in one project', person: 'in sessions of one person' } as const;

function usedText({ uses, most_uses }: GrantView): string {
  const of = most_uses === undefined ? '' : ` of ${most_uses}`;
  if (uses === 0) return `Not used yet${of && `, at most ${most_uses} times`}`;
  return `Used ${uses}${of} ${uses === 1 && of === '' ? 'time' : 'times'}`;
}

function GrantRow({ grant, onRevoked }: { grant: GrantView; onRevoked: () => void }) {
  const mayRevoke = useMayAnswer();
  const revoke = async () => {
    await api.grants.revoke(grant.grant_id);
    onRevoked();
  };
  return (
    <li>
      <div className="ruled-text">
        <code>
          <Exact text={`${grant.tool}  ${matchesText(grant.matches ?? {})}`} />
        </code>
        <span className="small muted">
          {WHERE[grant.scope]}, by <Exact text={grant.given_by} />, <Age atMs={grant.created_at_ms} />.{' '}
          {usedText(grant)}
        </span>
      </div>
      {mayRevoke && (
        <ConfirmButton className="button" question="Revoke it?" act={revoke}>
          Revoke
        </ConfirmButton>
      )}
    </li>
  );
}

const RuleList = ({ rules }: { rules: readonly SourcedRuleView[] }) => (
  <ol className="ruled">
    {rules.map((rule) => (
      <RuleRow key={`${rule.source} ${rule.position}`} {...rule} />
    ))}
  </ol>
);

const RuleRow = ({ rule, origin, position }: SourcedRuleView) => (
  <li>
    <div className="ruled-text">
      <code>
        <Exact text={`${rule.action}  ${rule.tool}  ${rule.matches ? matchesText(rule.matches) : ''}`} />
      </code>
      <span className="small muted">
        rule {position} of <Exact text={origin} />
      </span>
    </div>
  </li>
);
