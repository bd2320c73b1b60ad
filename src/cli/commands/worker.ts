// `holdpoint worker`: hosts agents for a server that runs elsewhere. Prints one line to standard output when it has
// reached the server and begun to take runs; drains and exits 0 on SIGTERM.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Command, Option } from 'commander';
import { backoffMs, sleep } from '../../client/http.ts';
import { findToken, serverUrl, stateFolder } from '../../client/local.ts';
import { PERMISSIONS, type Permissions } from '../../core/session.ts';
import { Failure, told } from '../failure.ts';
import { withExamples } from '../help-examples.ts';
import { addressOf, note, probe, wholeNumber } from '../server-connection.ts';
import { stopOnSignal } from '../signals.ts';

interface WorkerFlags {
  url?: string;
  token?: string;
  id?: string;
  concurrency?: string;
  label?: string[];
  leaseMs?: string;
  permissions?: Permissions;
  log?: string;
}

const LONGEST_DRAIN_MS = 9000;

export function workerCommand(): Command {
  const command = new Command('worker')
    .description('host agents for a server, on this machine')
    .option('--url <address>', 'the server (HOLDPOINT_URL, http://127.0.0.1:4777)')
    .option('--token <secret>', 'a worker token (HOLDPOINT_TOKEN); the one in the state folder otherwise')
    .option('--id <name>', 'a name for this worker; made up otherwise')
    .option('--label <name...>', 'take only work that names some of these labels, and no other')
    .option('--concurrency <number>', 'runs at once (64)')
    .option('--lease-ms <number>', 'how long a lost worker keeps its runs (15000)')
    .addOption(workerPermissions())
    .option('--log <level>', 'log level (HOLDPOINT_LOG, warn)');
  withExamples(command, 'holdpoint worker --concurrency 4', 'holdpoint worker --label gpu --label os=linux');
  return command.action(work);
}

export const workerPermissions = (): Option =>
  new Option(
    '--permissions <how>',
    'whether agents hosted here ask for approval, where a session does not say',
  ).choices(PERMISSIONS);

async function work(flags: WorkerFlags): Promise<void> {
  const workerId = flags.id ?? `${hostname().replace(/[^A-Za-z0-9.-]/g, '-')}-${randomBytes(4).toString('hex')}`;
  const { startOwnWorker } = await import('../../boot/worker.ts');
  const url = addressOf(flags.url ?? serverUrl(process.env));
  const options = {
    url,
    data: isOfThisMachine(url) ? undefined : stateFolder(process.env),
    token: flags.token ?? tokenOf(process.env),
    workerId,
    labels: flags.label,
    permissions: flags.permissions,
    concurrency: fromOne('--concurrency', flags.concurrency),
    leaseMs: fromOne('--lease-ms', flags.leaseMs),
    logLevel: flags.log ?? (process.env.HOLDPOINT_LOG || 'warn'),
  };
  let worker: ReturnType<typeof startOwnWorker> | undefined;
  stopOnSignal(() => worker?.stop(), LONGEST_DRAIN_MS);
  await untilReached(url);
  worker = startOwnWorker(options);
  process.stdout.write(`holdpoint worker ready ${workerId}\n`);
  await worker.done;
}

/** A worker may be started before its server. */
async function untilReached(url: string): Promise<void> {
  for (let failures = 0; ; failures++) {
    try {
      await probe(url);
      if (failures > 0) note(`${url} is there now`);
      return;
    } catch (error) {
      if (failures === 0) note(`${told(error).message} The worker goes on trying.`);
      await sleep(backoffMs(failures));
    }
  }
}

/** A server of this machine attaches the agents of this machine itself. */
const isOfThisMachine = (url: string): boolean => /^(?:localhost|127\.|\[::1\])/.test(new URL(url).host);

function tokenOf(env: NodeJS.ProcessEnv): string {
  try {
    return findToken(env, ['worker.token', 'operator.token']);
  } catch (error) {
    throw new Failure('refused', (error as Error).message);
  }
}

function fromOne(flag: string, text: string | undefined): number | undefined {
  const number = wholeNumber(flag, text);
  if (number === 0) throw new Failure('usage', `${flag} takes a whole number from 1, not "0"`);
  return number;
}
