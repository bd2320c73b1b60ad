// Reads and writes a search of the history as the address of its page, where it can be shared and gone back to. Pure.

export const OUTCOMES = ['answered', 'declined', 'cancelled', 'expired', 'failed'] as const;

export interface HistoryQuery {
  q: string;
  kind: 'approval' | 'question' | undefined;
  status: (typeof OUTCOMES)[number] | undefined;
}

export function historyQueryOf(search: string): HistoryQuery {
  const params = new URLSearchParams(search);
  const kind = params.get('kind');
  return {
    q: params.get('q') ?? '',
    kind: kind === 'approval' || kind === 'question' ? kind : undefined,
    status: OUTCOMES.find((status) => status === params.get('status')),
  };
}

export function historyAddress({ q, kind, status }: HistoryQuery): string {
  const params = new URLSearchParams();
  if (q.trim() !== '') params.set('q', q);
  if (kind) params.set('kind', kind);
  if (status) params.set('status', status);
  return params.size === 0 ? '/history' : `/history?${params}`;
}
