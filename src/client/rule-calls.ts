// Provides the typed calls about rules and grants. client.ts puts them with the others.
import type { z } from 'zod';
import type * as bodies from '../core/bodies.ts';
import type { GrantPreview, GrantView } from '../core/grant.ts';
import type { RuleSuggestionsView } from '../core/rule-suggestion.ts';
import type { RuleListView, RuleTest, RuleTestView } from '../core/rule-views.ts';
import type { Listed, Options, Page } from './client.ts';
import type { Call } from './http.ts';

interface Sending {
  send<T>(call: Call): Promise<T>;
  page<T>(path: string, query?: object): Promise<Omit<Listed<never>, 'items'> & { value: T }>;
  list<T>(path: string, query?: object): Promise<Listed<T>>;
}

export const ruleCalls = ({ send, page }: Sending) => ({
  /** In the order in which they are tried; with those of a session. */
  async list(query?: Page & { session_id?: string | undefined }): Promise<RuleListView & { next: string | undefined }> {
    const { value, next } = await page<RuleListView>('/v1/rules', query);
    return { ...value, next };
  },
  /** Which rules would decide a call, and why; decides nothing. */
  test: (body: z.input<typeof RuleTest>): Promise<RuleTestView> =>
    send({ method: 'POST', path: '/v1/rules/test', body }),
  /** Rules for calls that people always allowed; changes nothing. */
  suggestions: (query?: {
    from?: number | undefined;
    to?: number | undefined;
    at_least?: number | undefined;
  }): Promise<RuleSuggestionsView> => send({ method: 'GET', path: '/v1/rules/suggestions', query }),
});

export const grantCalls = ({ send, list }: Sending) => ({
  /** What "always" for a request would allow; stores nothing. It is given as `always` with a decision. */
  preview: (body: z.input<typeof bodies.PreviewGrant>): Promise<GrantPreview> =>
    send({ method: 'POST', path: '/v1/grants/preview', body }),
  list: (query?: Page & { session_id?: string | undefined }): Promise<Listed<GrantView>> => list('/v1/grants', query),
  revoke: (id: string, options?: Options): Promise<GrantView> =>
    send({ method: 'DELETE', path: `/v1/grants/${encodeURIComponent(id)}`, ...options }),
});
