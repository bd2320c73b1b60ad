// Says in words whether the approvals of a session are asked, and who decided that.
import type { SessionView } from '../core/views.ts';

const SOURCES = { session: 'set for this session', worker: 'set by its worker' } as const;

export function permissionsText({ permissions, permissions_from }: SessionView): string {
  if (permissions_from === 'default') return 'approvals are asked; a worker that runs as autonomous would skip them';
  const rule = permissions === 'autonomous' ? 'nothing is asked (autonomous)' : 'approvals are asked';
  return `${rule}, ${SOURCES[permissions_from]}`;
}
