// Says on a card what happens when nobody answers in time: to this request, and to others of the same run. A question that
// expires ends its run, and with it everything else that the run asks.
import { isOpen } from '../../../src/client/inbox-model.ts';
import type { AskView } from '../../../src/core/views.ts';
import { useInbox } from '../hooks/live-inbox.ts';
import { endingBefore, endsItsRun } from '../state/undo-pause.ts';
import { Countdown } from './age.tsx';

export function DeadlineNote({ ask }: { ask: AskView }) {
  const { entries } = useInbox();
  if (ask.status !== 'pending') return null;
  const others = entries
    .filter((entry) => isOpen(entry) && entry.ask.run_id === ask.run_id && entry.ask.ask_id !== ask.ask_id)
    .map((entry) => entry.ask);
  const first = endingBefore(ask, others);
  if (first?.expires_at_ms !== undefined)
    return (
      <p className="small muted">
        Another question of this run <Countdown toMs={first.expires_at_ms} /> If nobody answers it, the run is
        cancelled, and this request with it.
      </p>
    );
  if (ask.expires_at_ms === undefined) return null;
  return <p className="small muted">{consequence(ask, others.length)}</p>;
}

function consequence(ask: AskView, others: number): string {
  if (ask.kind === 'approval') return 'If nobody decides in time, it is denied.';
  if (!endsItsRun(ask)) return 'If nobody answers in time, the sub-agent is told and continues.';
  const more = others === 1 ? 'one other request' : `${others} other requests`;
  return `If nobody answers in time, the run is cancelled${others > 0 ? `, and ${more} with it` : ''}.`;
}
