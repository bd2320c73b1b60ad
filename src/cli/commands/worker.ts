// `holdpoint worker`: hosts agents for a server that runs elsewhere. Prints one line to standard output when it has
// connected and takes runs; drains and exits 0 on SIGTERM, also before the server was reached.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Option } from 'commander';
import { backoffMs, sleep } from '../../client/http.ts';
import { serverUrl, stateFolder } from '../../client/local.ts';
import { PERMISSIONS, type Permissions } from '../../core/session.ts';
import { Command } from '../command.ts';
import { type AddressFlags, repeated, wholeNumber } from '../command-flags.ts';
import { Failure, reportOf } from '../failure.ts';
import { secretsAreVisible, withHiddenSecrets } from '../hidden-secrets.ts';
import { note } from '../output.ts';
import { runAs } from '../run-as.ts';
import { addressOf, probe, tokenOf } from '../server-connection.ts';
import { drainOnSignal } from '../signals.ts';

interface WorkerFlags extends AddressFlags {
  id?: string;
  concurrency?: string;
  label?: string[];
  leaseMs?: string;
  permissions?: Permissions;
  log?: string;
  runAs?: string;
  runtime?: string[];
}

export function workerCommand(): Command {
  return new Command('worker', 'host agents for a server, on this machine')
    .withAddress('file with a worker token (HOLDPOINT_TOKEN; otherwise the one in the state folder)')
    .option('--id <name>', 'a name for this worker; generated otherwise')
    .option('--label <name...>', 'take only runs that name some of these labels, and no others')
    .option('--concurrency <number>', 'runs at once (64)')
    .option('--lease-ms <number>', 'how long a lost worker keeps its runs (15000)')
    .addOption(workerPermissions())
    .addOption(runtimeModules())
    .option('--run-as <account>', 'as root: become this account, whose programs cannot read the token')
    .option('--log <level>', 'log level (HOLDPOINT_LOG, warn)')
    .withExamples(
      'holdpoint worker --concurrency 4',
      'holdpoint worker --label gpu --label os=linux',
      'holdpoint worker --token-file /etc/holdpoint/worker.token --run-as agents',
    )
    .action(work);
}

export const workerPermissions = (): Option =>
  new Option(
    '--permissions <how>',
    'whether agents hosted here ask for approval, unless their session says otherwise',
  ).choices(PERMISSIONS);

export const runtimeModules = (): Option =>
  new Option(
    '--runtime <file>',
    'a module with a RuntimeAdapter for headless programs (docs/runtime-adapter.md); may be repeated',
  ).argParser(repeated);

const LONGEST_DRAIN_MS = 9000;

const VISIBLE =
  'programs that this worker hosts can read its token in the environment or the arguments of the process that launched it. Give it with --token-file, or start the worker with Node 24.';

async function work(flags: WorkerFlags): Promise<void> {
  const workerId = flags.id ?? `${hostname().replace(/[^A-Za-z0-9.-]/g, '-')}-${randomBytes(4).toString('hex')}`;
  const url = addressOf(flags.url ?? serverUrl(process.env));
  if (secretsAreVisible()) note(VISIBLE);
  const options = {
    url,
    // Attached agents are of the person who starts the worker, not of the account that it becomes.
    data: isOnThisMachine(url) || flags.runAs !== undefined ? undefined : stateFolder(process.env),
    token: tokenOf(flags, withHiddenSecrets(process.env), ['worker.token', 'operator.token']),
    workerId,
    labels: flags.label,
    permissions: flags.permissions,
    concurrency: atLeastOne('--concurrency', flags.concurrency),
    leaseMs: atLeastOne('--lease-ms', flags.leaseMs),
    logLevel: flags.log ?? (process.env.HOLDPOINT_LOG || 'warn'),
  };
  let worker: { stop(): Promise<void>; done: Promise<unknown> } | undefined;
  drainOnSignal(() => worker?.stop(), LONGEST_DRAIN_MS);
  const { startOwnWorker } = await import('../../boot/worker.ts');
  const { loadRuntimes } = await import('../../boot/runtimes.ts');
  const runtimes = await loadRuntimes(flags.runtime).catch((error: Error) => {
    throw new Failure('usage', error.message);
  });
  if (flags.runAs !== undefined) runAs(flags.runAs);
  await untilReached(url);
  worker = startOwnWorker({ ...options, runtimes });
  process.stdout.write(`holdpoint worker ready ${workerId}\n`);
  await worker.done;
}

/** Retries without end: a worker may be started before its server. */
async function untilReached(url: string): Promise<void> {
  for (let failures = 0; ; failures++) {
    try {
      await probe(url);
      if (failures > 0) note(`${url} answers now`);
      return;
    } catch (error) {
      if (failures === 0) note(`${reportOf(error).message} The worker keeps trying.`);
      await sleep(backoffMs(failures));
    }
  }
}

/** A server on this machine attaches to the agents of this machine itself. */
const isOnThisMachine = (url: string): boolean => /^(?:localhost|127\.|\[::1\])/.test(new URL(url).host);

function atLeastOne(flag: string, text: string | undefined): number | undefined {
  const number = wholeNumber(flag, text);
  if (number === 0) throw new Failure('usage', `${flag} takes a whole number from 1, not "0"`);
  return number;
}
