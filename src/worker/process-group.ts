// Finds and ends a process with all its descendants, by the identity of their leader. A process id alone is ambiguous,
// because ids are reused, so the leader's start time belongs to it. Where /proc exists, members are the leader's session
// and every process with its mark and leader id in the environment; elsewhere its process group.
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ProcessIdentity } from '../agents/agent.ts';

interface Stat {
  pid: number;
  state: string;
  group: number;
  session: number;
  began: string;
}

/** The environment variable with the leader's id: another attempt at the same run has the same mark and another leader. */
export const LEADER = 'HOLDPOINT_LEADER';

const LOOK_EVERY_MS = 40;
/** A process that survives SIGKILL hangs in the kernel; waiting longer does not help. */
const GIVE_UP_MS = 5000;

export function identityOf(pid: number): ProcessIdentity {
  return { host: hostname(), pid, began: statOf(pid)?.began ?? '' };
}

export function isAlive(process: ProcessIdentity): boolean {
  if (process.host !== hostname()) return false;
  if (!hasProc) return signal(process.pid, 0);
  const stat = statOf(process.pid);
  return stat !== undefined && stat.began === process.began && !isDead(stat);
}

/**
 * Asks everything that belongs to the leader to end, then makes it. `mark` is an entry of its environment: it finds
 * members that left the session, and tells those whose leader is gone from processes that came after. Resolves to
 * whether nothing is left.
 */
export const endGroup = (leader: ProcessIdentity, graceMs: number, mark?: string): Promise<boolean> =>
  endMembers(graceMs, () => membersOf(leader, mark));

/**
 * The same for a leader that only a record names, which anything may have written: no process is signalled unless it,
 * or its living leader, has the mark in its environment.
 */
export const endRecorded = (leader: ProcessIdentity, graceMs: number, mark: string): Promise<boolean> =>
  endMembers(graceMs, () => (isMarked(leader, mark) ? membersOf(leader, mark) : markedMembersOf(leader, mark)));

async function endMembers(graceMs: number, find: () => Member[]): Promise<boolean> {
  const begun = Date.now();
  let asked = false;
  for (;;) {
    const members = find();
    const known = members.filter(({ isCertain }) => isCertain);
    const waitedMs = Date.now() - begun;
    if (members.length === 0) return true;
    if (waitedMs > graceMs + GIVE_UP_MS) return false;
    if (waitedMs >= graceMs) for (const { pid } of known) signal(pid, 'SIGKILL');
    else if (!asked) for (const { pid } of known) signal(pid, 'SIGTERM');
    asked ||= known.length > 0;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

interface Member {
  /** The negative id of the group where single processes cannot be listed. */
  pid: number;
  /** False while a process shows no environment, as during exec: it is waited for, not signalled. */
  isCertain: boolean;
}

const certain = (pid: number): Member => ({ pid, isCertain: true });

const isMarked = (leader: ProcessIdentity, mark: string): boolean =>
  !hasProc || (isAlive(leader) && environmentOf(leader.pid).includes(mark));

function markedMembersOf(leader: ProcessIdentity, mark: string): Member[] {
  if (leader.host !== hostname()) return [];
  return processIds().flatMap((pid) => {
    const stat = statOf(pid);
    if (!stat || isDead(stat)) return [];
    const environment = environmentOf(pid);
    if (environment.includes(mark) && environment.includes(`${LEADER}=${leader.pid}`)) return [certain(pid)];
    const isLeader = pid === leader.pid && stat.began === leader.began;
    return isLeader && environment.length === 0 ? [{ pid, isCertain: false }] : [];
  });
}

function membersOf(leader: ProcessIdentity, mark: string | undefined): Member[] {
  if (leader.host !== hostname()) return [];
  if (!hasProc) return signal(-leader.pid, 0) ? [certain(-leader.pid)] : [];
  const present = statOf(leader.pid);
  const isReplaced = present !== undefined && present.began !== leader.began;
  const found = processIds().filter((pid) => {
    const stat = statOf(pid);
    if (!stat || isDead(stat)) return false;
    const isNear = !isReplaced && (stat.session === leader.pid || stat.group === leader.pid);
    if (mark === undefined || (isNear && present)) return isNear;
    const environment = environmentOf(pid);
    // During exec a process shows an empty environment for a moment.
    if (isNear && environment.length === 0) return true;
    return environment.includes(mark) && (isNear || environment.includes(`${LEADER}=${leader.pid}`));
  });
  return found.map(certain);
}

const BOOT = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
const hasProc = BOOT !== '';

const processIds = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** The name in parentheses may contain anything, so the fields are counted from its end. */
function statOf(pid: number): Stat | undefined {
  const text = readText(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', , group = '', session = ''] = fields;
  return { pid, state, group: Number(group), session: Number(session), began: `${BOOT}:${fields[19]}` };
}

const isDead = ({ state }: Stat): boolean => state === 'Z' || state === 'X';
const environmentOf = (pid: number): string[] =>
  (readText(`/proc/${pid}/environ`) ?? '').split('\0').filter((entry) => entry !== '');

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
