// The part of the auditor that follows clarifications: each end told to the child once, acted on once, its run completed.
import { countOf } from './count.ts';
import type { Account, Knowledge } from './knowledge.ts';

export function auditMail(knowledge: Knowledge, { runs, asks, events }: Account): string[] {
  const complaints: string[] = [];
  const told = (type: string) => countOf(events.filter((e) => e.type === type).map((e) => e.ask_id));
  const posted = told('mailbox.posted');
  const acknowledged = told('mailbox.acknowledged');
  const resolved = told('parent_clarification_resolved');
  const acted = countOf(knowledge.mail.map((message) => message.requestId));
  const askOf = new Map(asks.map((ask) => [ask.run_id, ask]));
  for (const run of runs.filter((r) => r.kind === 'parent_clarification')) {
    const ask = askOf.get(run.run_id);
    if (!ask || ask.status === 'pending') continue;
    const id = ask.ask_id;
    if (run.status !== 'completed') complaints.push(`unfinished: clarification ${id} ended, its run is ${run.status}`);
    for (const [name, counts] of Object.entries({ posted, acknowledged, resolved, acted }))
      if ((counts.get(id) ?? 0) !== 1)
        complaints.push(`mail ${name} ${counts.get(id) ?? 0} times: clarification ${id}`);
  }
  const byId = new Map(asks.map((ask) => [ask.ask_id, ask]));
  for (const { requestId, declined } of knowledge.mail)
    if (declined !== (byId.get(requestId)?.status !== 'answered'))
      complaints.push(`mail says otherwise: clarification ${requestId} is ${byId.get(requestId)?.status}`);
  return complaints;
}
