// Whether anybody is there to take a run that was just started. Nothing is refused for it, because a worker may come later;
// but whoever misspelt a name should not wait for one.
import type { Client } from '../client/client.ts';
import { isServed } from '../core/label.ts';
import type { AgentView, RunView, SessionView } from '../core/views.ts';
import { ownName } from './program-name.ts';
import { note } from './server-connection.ts';
import { oneLine } from './text/terminal-text.ts';

/** At once, on standard error. Where it cannot be found out, nothing is said. */
export async function tellIfNobodyHosts(client: Client, session: SessionView, run: RunView): Promise<void> {
  if (run.status !== 'queued') return;
  const offered = await client.insights.agents().catch(() => undefined);
  const missing = offered && missingHost(session, offered);
  if (missing === undefined) return;
  note(`${missing} ${run.run_id} waits until one comes. Give it up: ${ownName()} runs cancel ${run.run_id}`);
}

/** What is missing, and what there is instead; nothing where a worker takes it. */
function missingHost(
  { agent, labels }: Pick<SessionView, 'agent' | 'labels'>,
  offered: readonly Pick<AgentView, 'name' | 'labels'>[],
): string | undefined {
  if (offered.length === 0) return `no worker is there now. Start one: ${ownName()} worker.`;
  const host = offered.find(({ name }) => name === agent);
  if (!host)
    return `no worker offers the agent ${oneLine(agent)} now. There is: ${offered.map(({ name }) => name).join(', ')}.`;
  if (host.labels.some((of) => isServed(labels, of))) return undefined;
  const wanted =
    labels.length === 0
      ? 'takes work that names no label'
      : `has the label${labels.length > 1 ? 's' : ''} ${labels.join(', ')}`;
  const there = host.labels.map((of) => of.join(', ') || 'none').join('; ');
  return `no worker that offers ${agent} ${wanted} now. Labels of those that do offer it: ${there}.`;
}
