// Warns when no connected worker can take a run that was just started. Nothing is refused, because a worker may connect
// later; but a misspelt agent or label should not be waited for.
import type { Client } from '../client/client.ts';
import { isServed } from '../core/label.ts';
import type { AgentView, RunView, SessionView } from '../core/views.ts';
import { note } from './output.ts';
import { programName } from './program-name.ts';
import { oneLine } from './text/terminal-text.ts';

/** On standard error. Silent where the workers cannot be listed. */
export async function warnIfUnserved(client: Client, session: SessionView, run: RunView): Promise<void> {
  if (run.status !== 'queued') return;
  const offered = await client.insights.agents().catch(() => undefined);
  const missing = offered && missingWorker(session, offered);
  if (missing === undefined) return;
  note(`${missing} ${run.run_id} waits for one. To cancel it: ${programName()} runs cancel ${run.run_id}`);
}

function missingWorker(
  { agent, labels }: Pick<SessionView, 'agent' | 'labels'>,
  offered: readonly Pick<AgentView, 'name' | 'labels'>[],
): string | undefined {
  if (offered.length === 0) return `no worker is connected. Start one: ${programName()} worker.`;
  const offer = offered.find(({ name }) => name === agent);
  if (!offer) {
    const names = offered.map(({ name }) => name).join(', ');
    return `no connected worker offers the agent ${oneLine(agent)}. Offered: ${names}.`;
  }
  if (offer.labels.some((of) => isServed(labels, of))) return undefined;
  const wanted =
    labels.length === 0
      ? 'takes runs without a label'
      : `has the label${labels.length > 1 ? 's' : ''} ${labels.join(', ')}`;
  const there = offer.labels.map((of) => of.join(', ') || 'none').join('; ');
  return `no connected worker that offers ${agent} ${wanted}. Labels of the workers that offer it: ${there}.`;
}
