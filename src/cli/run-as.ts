// Gives up root for another account, for good, before any program is hosted: `holdpoint worker --run-as`. The programs of
// that account, which the worker starts, can then read neither what only root could read before (the token file) nor the
// worker itself: the kernel shows the memory, environment and open files of a process that changed its user to root alone.
import { readFileSync } from 'node:fs';
import { Failure } from './failure.ts';

interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

/** Of the person who started the worker, and useless or misleading for another account. */
const PERSONAL = /^(?:XDG_|SUDO_|DBUS_|SSH_|MAIL$)/;

export function runAs(nameOrId: string): void {
  if (process.getuid?.() !== 0)
    throw new Failure(
      'usage',
      `--run-as ${nameOrId} needs root: only root can become another account. Start the worker with sudo, or as ${nameOrId} itself.`,
    );
  const { name, uid, gid, home } = accountOf(nameOrId);
  if (uid === 0) throw new Failure('usage', '--run-as takes an account without privileges, not root');
  process.setgroups?.([gid, ...groupsOf(name)]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  for (const variable of Object.keys(process.env)) if (PERSONAL.test(variable)) delete process.env[variable];
  Object.assign(process.env, { HOME: home, USER: name, LOGNAME: name });
  process.chdir('/');
}

/** Accounts of this machine; those of a directory service are not known here. */
function accountOf(nameOrId: string): Account {
  for (const [name = '', , uid = '', gid = '', , home = '/'] of entriesOf('/etc/passwd'))
    if (name === nameOrId || uid === nameOrId) return { name, uid: Number(uid), gid: Number(gid), home };
  throw new Failure('usage', `--run-as: there is no account "${nameOrId}" in /etc/passwd of this machine`);
}

const groupsOf = (name: string): number[] =>
  entriesOf('/etc/group').flatMap(([, , gid, members = '']) =>
    members.split(',').includes(name) ? [Number(gid)] : [],
  );

const entriesOf = (file: string): string[][] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => line.split(':'));
