// Marks a request in the inbox of which nobody could be notified.
import { BellOff } from 'lucide-react';
import { useIsUnreached } from '../hooks/unreached.ts';

const WHY = 'Nobody could be notified of this';

export const UnreachedMark = ({ askId }: { askId: string }) =>
  useIsUnreached(askId) ? (
    <span className="unreached" title={WHY}>
      <BellOff className="icon" aria-hidden="true" />
      <span className="visually-hidden">{WHY}</span>
    </span>
  ) : null;
