// Reads and writes how the inbox is searched, sorted and grouped as the search part of its address, where a view can be
// shared, bookmarked and gone back to. Pure.
import { type Arrangement, GROUPINGS, SORTS } from '../../../src/client/triage.ts';

export interface Triage extends Arrangement {
  q: string;
}

export function triageOf(search: string): Triage {
  const params = new URLSearchParams(search);
  return {
    q: params.get('q') ?? '',
    sort: SORTS.find((sort) => sort === params.get('sort')) ?? 'oldest',
    group: GROUPINGS.find((group) => group === params.get('group')) ?? 'none',
  };
}

/** Empty for the default view. */
export function triageSearch({ q, sort, group }: Triage): string {
  const params = new URLSearchParams();
  if (q.trim() !== '') params.set('q', q);
  if (sort !== 'oldest') params.set('sort', sort);
  if (group !== 'none') params.set('group', group);
  return params.size === 0 ? '' : `?${params}`;
}
