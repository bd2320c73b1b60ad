// Keeps this machine's own agents attached while the worker runs: polls for the address of each connected agent, follows it
// while something listens there, and reconnects after the agent was restarted. Ends the asks of hook processes and
// editor proxies that were killed. Reads the connections from the state folder on every poll, so `connect` and `disconnect` need no restart.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Agent, FollowedAgent, HookProcess } from '../agents/agent.ts';
import { type Client, createClient } from '../client/client.ts';
import { sleep } from '../client/http.ts';
import { Waits } from '../client/waits.ts';
import { endAbandonedHooks } from './hook-notes.ts';
import type { Log } from './host.ts';
import { knownMachineLabel, machineLabel } from './machine-label.ts';
import { openSocket } from './socket.ts';

export interface AttachmentOptions {
  url: string;
  token: string;
  /** The state folder, in which `connect` writes down what is connected. */
  data: string;
  agents: readonly Agent[];
  log: Log;
  lookEveryMs?: number | undefined;
  /** An agent that is restarted within this time finds its asks as they were. */
  awayMs?: number | undefined;
}

const Connection = z.looseObject({ file: z.string() });

const LOOK_EVERY_MS = 2000;
const AWAY_MS = 10_000;

export function startAttachments(options: AttachmentOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const client = createClient({ url: options.url, token: options.token });
  const waits = new Waits(client.http);
  const keeping = { ...options, client, waits, signal: stopping.signal };
  const done = Promise.all(
    options.agents.flatMap((agent) => [...followed(agent, keeping), ...abandonable(agent, keeping)]),
  );
  return {
    async stop() {
      stopping.abort();
      await done;
      waits.close();
    },
  };
}

interface Keeping extends AttachmentOptions {
  client: Client;
  waits: Waits;
  signal: AbortSignal;
}

/** `onUnreachable`: an empty text where the agent is there. */
type Reporting = Keeping & { onUnreachable(problem: string): void };

const followed = ({ name, attached }: Agent, keeping: Keeping): Promise<void>[] =>
  attached?.followed ? [keep({ name, ...attached.followed }, keeping)] : [];

type EndAbandoned = HookProcess['endAbandoned'];

/** Hook processes and editor proxies, which leave the same notes. */
function abandonable({ name, attached, editorProxy }: Agent, keeping: Keeping): Promise<void>[] {
  const ends: EndAbandoned[] = attached?.hookProcess ? [attached.hookProcess.endAbandoned] : [];
  if (editorProxy) ends.push(async (client, call) => (await editorProxy()).endAbandoned(client, call));
  return ends.map((end) => endHooks(name, end, keeping));
}

type Followed = FollowedAgent & { name: string };

interface Target {
  settingsFile: string;
  address: string;
}

async function keep(one: Followed, keeping: Keeping): Promise<void> {
  const { signal, data, log, lookEveryMs = LOOK_EVERY_MS, awayMs = AWAY_MS } = keeping;
  let seenAt = Date.now();
  let isAway = false;
  let reported = '';
  /** Each problem once, until it is gone. */
  const onUnreachable = (problem: string) => {
    if (problem !== '' && problem !== reported) log.warn({ agent: one.name }, `not attached: ${problem}`);
    reported = problem;
  };
  const reporting = { ...keeping, onUnreachable };
  while (!signal.aborted) {
    const target = await targetOf(one, data);
    const isThere = typeof target === 'object' && (await attachUntilDisconnected(one, target, reporting));
    if (isThere) {
      seenAt = Date.now();
      isAway = false;
    } else if (!isAway && (target === 'disconnected' || Date.now() - seenAt > awayMs)) {
      isAway = await leave(one, keeping);
    }
    await sleep(lookEveryMs, signal).catch(() => {});
  }
}

/** Whether nothing is left to end. What was attached from another machine is not ours to end. */
async function leave(one: Followed, { client, data }: Keeping): Promise<boolean> {
  const machine = knownMachineLabel(data);
  if (machine === undefined) return true;
  return one.gone(client, machine).then(
    () => true,
    () => false,
  );
}

async function endHooks(
  name: string,
  endAbandoned: EndAbandoned,
  { signal, client, data, lookEveryMs = LOOK_EVERY_MS }: Keeping,
): Promise<void> {
  while (!signal.aborted) {
    await endAbandonedHooks(data, name, (call) => endAbandoned(client, call));
    await sleep(lookEveryMs, signal).catch(() => {});
  }
}

/** Stops following when `disconnect` removes the connection. */
async function attachUntilDisconnected(one: Followed, target: Target, keeping: Reporting): Promise<boolean> {
  const { signal, data, lookEveryMs = LOOK_EVERY_MS } = keeping;
  const gone = new AbortController();
  const timer = setInterval(async () => {
    const now = await targetOf(one, data);
    if (now === 'disconnected' || (now !== 'unreadable' && now.address !== target.address)) gone.abort();
  }, lookEveryMs);
  try {
    return await attach(one, target, { ...keeping, signal: AbortSignal.any([signal, gone.signal]) });
  } finally {
    clearInterval(timer);
  }
}

/** Resolves to whether the agent was listening. */
async function attach(one: Followed, { settingsFile, address }: Target, parts: Reporting): Promise<boolean> {
  const { client, waits, signal, log, data, onUnreachable } = parts;
  let isThere = false;
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const open = async (onText: (text: string) => void) => {
    const connection = await openSocket(address, onText, either);
    onAttached();
    return connection;
  };
  const onAttached = () => {
    isThere = true;
    onUnreachable('');
    log.info({ agent: one.name, address }, 'attached to a running agent');
  };
  try {
    const onNotAsked = (error: unknown) =>
      log.warn({ agent: one.name, err: error }, 'a request of a running agent is only at its own prompt');
    const machine = machineLabel(data);
    const reports = { onAttached, onUnreachable, onNotAsked };
    await one.follow({ client, waits, signal: either, machine, settingsFile, open, ...reports });
  } catch (error) {
    if (isThere && !signal.aborted) log.warn({ agent: one.name, err: error }, 'lost a running agent');
  } finally {
    over.abort();
  }
  return isThere;
}

/** Of the latest connection, where there are several. A file that is gone disconnects; one that cannot be read does not. */
async function targetOf(one: Followed, data: string): Promise<Target | 'disconnected' | 'unreadable'> {
  try {
    const folder = join(data, 'connections');
    const names = (await filesIn(folder)).filter((name) => name.startsWith(`${one.name}-`) && name.endsWith('.json'));
    const paths = names.map((name) => join(folder, name));
    const dated = await Promise.all(paths.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })));
    const [latest] = dated.sort((a, b) => b.at - a.at);
    if (!latest) return 'disconnected';
    const { file: settingsFile } = Connection.parse(JSON.parse(await readFile(latest.path, 'utf8')));
    return { settingsFile, address: await one.addressOf(settingsFile) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'disconnected' : 'unreadable';
  }
}

const filesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
