// Decides what "always" sends: which calls, where and until when. Pure.
import type { Always, GrantView } from '../../../src/core/grant.ts';
import { oneLine } from '../text/visible.ts';

type Matches = NonNullable<Always['matches']>;

export const SCOPES = [
  { value: 'session', label: 'in this session' },
  { value: 'project', label: 'in sessions of this project' },
  { value: 'person', label: 'in sessions that I started' },
] as const;

const HOUR_MS = 60 * 60 * 1000;
export const LIMITS = [
  { label: 'until it is revoked', limit: {} },
  { label: 'for the next 10 calls', limit: { uses: 10 } },
  { label: 'for an hour', limit: { expires_after_ms: HOUR_MS } },
  { label: 'for a day', limit: { expires_after_ms: 24 * HOUR_MS } },
] as const;

export interface AlwaysForm {
  /** Which of the suggestions. */
  choice: number;
  scope: (typeof SCOPES)[number]['value'];
  /** Which of the limits. */
  limit: number;
}

export const openAlways = (): AlwaysForm => ({ choice: 0, scope: 'session', limit: 0 });

export const alwaysOf = ({ choice, scope, limit }: AlwaysForm, suggestions: readonly Matches[]): Always => ({
  scope,
  ...(suggestions[choice] && { matches: suggestions[choice] }),
  ...LIMITS[limit]?.limit,
});

/** Where a grant applies, beside a request of its session. */
export const whereText = ({ scope, given_by }: Pick<GrantView, 'scope' | 'given_by'>): string =>
  ({
    session: 'in this session',
    project: 'in sessions of this project',
    person: `in sessions that ${oneLine(given_by)} started`,
  })[scope];

/** `git push * or make *`; `file_path /srv/*`; every call. */
export function matchesText(matches: Matches): string {
  const texts = Object.entries(matches).map(([name, value]) => {
    const patterns = [value].flat().join('  or  ');
    return name === 'command' || name === 'cmd' ? patterns : `${name}: ${patterns}`;
  });
  return texts.join(', ') || 'every call of this tool';
}
