// The contenders on PostgreSQL: one server alone and two together, beside the reference with two servers, and the peers that
// are installed. On two servers an ask that is raised at one is answered at the other, except where each session is used at one.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../test/faults/database.ts';
import type { ContenderName } from './contender.ts';
import type { MeasuredServer } from './servers.ts';
import type { Subject } from './throughput.ts';

export const PEERS = ['Restate', 'DBOS'];

type Start = (name: ContenderName, folder: string, env: Record<string, string>) => Promise<MeasuredServer>;

export interface OnPostgres {
  /** The first one is the reference. */
  subjects: Subject[];
  database: Database;
  /** The settings of servers on a further, empty database. */
  another(name: string): Promise<Record<string, string>>;
}

export async function startOnPostgres(start: Start, newFolder: () => string): Promise<OnPostgres> {
  const database = await Database.start();
  const on = (HOLDPOINT_DATABASE_URL: string) => ({
    HOLDPOINT_DATABASE_URL,
    HOLDPOINT_SECRET_KEY: Buffer.from('one secret key for both servers!').toString('base64url'),
  });
  const another = async (name: string) => on(await database.another(name));
  const shared = on(database.url());
  const server = (name: ContenderName, env: Record<string, string>) => start(name, newFolder(), env);
  const two = async (name: ContenderName) => [await server(name, shared), await server(name, shared)];
  const subject = (label: string, servers: MeasuredServer[]): Subject => {
    const pids = servers.map(({ pid }) => pid);
    return { label, servers, acknowledge: false, otherCpuMs: () => cpuMs([database.pid ?? 0], pids) };
  };
  const together = await two('holdpoint');
  const subjects: Subject[] = [
    subject('reference, two servers', await two('reference')),
    subject('holdpoint, one server', [await server('holdpoint', await another('alone'))]),
    subject('holdpoint, two servers', together),
    { ...subject('holdpoint, two servers, each session at one', together), isApart: true },
  ];
  if (installPeers()) {
    subjects.push(subject('Restate', [await server('restate', {})]));
    subjects.push(subject('DBOS', [await server('dbos', await another('dbos'))]));
  }
  return { subjects, database, another };
}

/** Whether they are there. They have a lockfile of their own, because nothing else needs them. */
function installPeers(): boolean {
  const folder = join(import.meta.dirname, 'peers');
  if (existsSync(join(folder, 'node_modules'))) return true;
  return spawnSync('npm', ['ci', '--ignore-scripts', '--prefix', folder], { stdio: 'inherit' }).status === 0;
}

/**
 * Of these processes with their children, those that have ended too, and of the children of those, as Linux counts it in
 * hundredths of a second.
 */
function cpuMs(pids: readonly number[], parents: readonly number[]): number {
  let sum = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const parent = Number(fields[1]);
      const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number) as [
        number,
        number,
        number,
        number,
      ];
      if (pids.includes(Number(name))) sum += 10 * (user + system + endedUser + endedSystem);
      else if (pids.includes(parent) || parents.includes(parent)) sum += 10 * (user + system);
    } catch {
      // It has ended meanwhile.
    }
  return sum;
}
