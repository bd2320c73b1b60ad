// Refuses to wait for an agent that no connected worker offers, and warns when none can take a run that was started: a
// worker may connect later, but a misspelt agent or label should not be waited for.
import type { Client } from '../client/client.ts';
import { isServed } from '../core/label.ts';
import type { AgentView, RunView, SessionView } from '../core/views.ts';
import { Failure } from './failure.ts';
import { note } from './output.ts';
import { programName } from './program-name.ts';
import { oneLine } from './text/terminal-text.ts';

/** Before a run is started whose end is waited for. `--detach` queues it all the same. */
export async function refuseUnoffered(client: Client, agent: string): Promise<void> {
  const offered = await client.insights.agents().catch(() => []);
  if (offered.length === 0 || offered.some(({ name }) => name === agent)) return;
  throw new Failure('not_found', notOffered(agent, offered), 'To queue a run until a worker offers it: --detach');
}

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
  if (!offer) return notOffered(agent, offered);
  if (offer.labels.some((of) => isServed(labels, of))) return undefined;
  const wanted =
    labels.length === 0
      ? 'takes runs without a label'
      : `has the label${labels.length > 1 ? 's' : ''} ${labels.join(', ')}`;
  const there = offer.labels.map((of) => of.join(', ') || 'none').join('; ');
  return `no connected worker that offers ${agent} ${wanted}. Labels of the workers that offer it: ${there}.`;
}

const notOffered = (agent: string, offered: readonly Pick<AgentView, 'name'>[]): string =>
  `no connected worker offers the agent ${oneLine(agent)}. Offered: ${offered.map(({ name }) => name).join(', ')}.`;
