// Moves secrets out of the environment and the arguments of a process that hosts programs: a program of the same account
// can read both in /proc. The process replaces itself with one that gets them through a file, which it deletes at once.
// What deleting a variable changes is only what children inherit; /proc shows the environment of the start.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { givenToken } from './server-connection.ts';

const SECRETS = ['HOLDPOINT_TOKEN', 'HOLDPOINT_SECRET_KEY', 'HOLDPOINT_DATABASE_URL'];
/** The path of a file with a secret is hidden, too: the program could read that file. */
const VARIABLES = [...SECRETS, 'HOLDPOINT_AUDIT_KEY_FILE'];
const FLAGS = ['--token', '--token-file', '--database-url', '--audit-key'];
/** Names the file through which the secrets are passed on. */
const PASSED = 'HOLDPOINT_PASSED_SECRETS';

type Secrets = Record<string, string>;

let hidden: Secrets = {};
let areVisible = false;

/** Does nothing where there is nothing to hide. Throws where a token file cannot be read. */
export function hideSecrets(args: readonly string[]): void {
  // By default this signal opens a debugger on a local port, to any program of the same account.
  process.on('SIGUSR1', () => {});
  const passed = process.env[PASSED];
  if (passed !== undefined) hidden = takeFile(passed);
  const { secrets, isPlain, rest } = secretsIn(args, process.env);
  for (const name of [...VARIABLES, PASSED]) delete process.env[name];
  hidden = { ...hidden, ...secrets };
  if (Object.keys(secrets).length === 0) return;
  if (canReplaceItself()) replaceItself(rest);
  areVisible = isPlain;
}

/** The environment with what was hidden. */
export const withHiddenSecrets = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ ...env, ...hidden });

/** Whether secrets can still be read in /proc: here, or in a launcher that waits for this process. */
export const secretsAreVisible = (): boolean => areVisible;

/** A launcher holds a connection to this process, which would end with it; the launcher itself has the secrets anyway. */
const canReplaceItself = (): boolean => typeof process.execve === 'function' && process.channel === undefined;

/** A flag overrides its variable. `isPlain`: one of them is there itself, not in a file. */
function secretsIn(args: readonly string[], env: NodeJS.ProcessEnv) {
  const flags: Record<string, string> = {};
  const rest: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const [, flag = arg, value = args[i + 1]] = /^(--[a-z-]+)=(.*)$/s.exec(arg) ?? [];
    if (value === undefined || !FLAGS.includes(flag)) {
      rest.push(arg);
      continue;
    }
    flags[flag] = value;
    if (flag === arg) i++;
  }
  const { '--token': token, '--token-file': tokenFile, '--database-url': address, '--audit-key': auditKey } = flags;
  const given = givenToken({ ...(token !== undefined && { token }), ...(tokenFile !== undefined && { tokenFile }) });
  const variables = Object.fromEntries(VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const secrets: Secrets = {
    ...variables,
    ...(given !== undefined && { HOLDPOINT_TOKEN: given }),
    ...(address !== undefined && { HOLDPOINT_DATABASE_URL: address }),
    ...(auditKey !== undefined && { HOLDPOINT_AUDIT_KEY_FILE: auditKey }),
  };
  const isPlain = token !== undefined || address !== undefined || SECRETS.some((name) => name in variables);
  return { secrets, isPlain, rest };
}

function replaceItself(args: readonly string[]): void {
  const file = join(mkdtempSync(join(tmpdir(), 'holdpoint-')), 'secrets');
  writeFileSync(file, JSON.stringify(hidden), { mode: 0o600, flag: 'wx' });
  const script = process.argv[1] as string;
  const argv = [process.argv0, ...process.execArgv, script, ...args];
  process.execve?.(process.execPath, argv, { ...(process.env as Secrets), [PASSED]: file });
}

function takeFile(file: string): Secrets {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Secrets;
  } finally {
    rmSync(dirname(file), { recursive: true, force: true });
  }
}
