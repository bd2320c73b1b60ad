// Says in words whether the approvals of a session are asked, and who decided that.
import type { SessionView } from '../core/views.ts';

const SOURCES = { session: 'set for this session', worker: 'set by its worker' } as const;

export function permissionsText({ permissions, permissions_from }: SessionView): string {
  if (permissions_from === 'default') return 'asks for approval, unless the worker that runs it is set to autonomous';
  const rule = permissions === 'autonomous' ? 'asks for nothing (autonomous)' : 'asks for approval';
  return `${rule}, ${SOURCES[permissions_from]}`;
}
