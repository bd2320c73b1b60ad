// Which process a worker talks with for a run: it carries the run's id, and its own as that of the leader.
import { readdirSync, readFileSync } from 'node:fs';

export function leaderOf(runId: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.find((pid) => {
    const environment = environmentOf(pid);
    return environment.includes(`HOLDPOINT_RUN_ID=${runId}`) && environment.includes(`HOLDPOINT_LEADER=${pid}`);
  });
  if (found === undefined) throw new Error(`no process works for ${runId}`);
  return Number(found);
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
