// Keeps the person's own agents attached while this worker runs: for each agent that was connected it looks for the
// agent's socket, attaches as soon as somebody answers there, and again after the agent was restarted. Ends what hooks had
// asked that were killed. Which agents are connected is read from the state folder each time, so `connect` and
// `disconnect` need no restart.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Client, createClient } from '../client/client.ts';
import { sleep } from '../client/http.ts';
import { Waits } from '../client/waits.ts';
import { endAbandoned, type HookCall } from './hook-notes.ts';
import type { Log } from './host.ts';
import { knownPlace, placeOf } from './machine-label.ts';
import { type SocketTalk, talkOverSocket } from './socket.ts';

export interface Attachable {
  readonly name: string;
  /** Where it listens, by the settings file of the agent that was changed when it was connected. */
  socketOf(settingsFile: string): string;
  attach(parts: {
    client: Client;
    waits: Waits;
    signal: AbortSignal;
    /** The name of this place. */
    place: string;
    open(onText: (text: string) => void): Promise<SocketTalk>;
    /** A request could not be asked here, and is only at the agent's own prompt. */
    onUnasked?(error: unknown): void;
  }): Promise<void>;
  /** The agent has not been at this place for a while: whatever it had asked from there is over. */
  away(client: Client, place: string): Promise<void>;
  /** A hook of the agent was killed: whatever it had asked is over. Rejects where the server could not be told. */
  endHook(client: Client, call: HookCall): Promise<void>;
}

export interface AttachmentOptions {
  url: string;
  token: string;
  /** The state folder, in which `connect` writes down what is connected. */
  data: string;
  attachables: readonly Attachable[];
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
  const done = Promise.all(options.attachables.flatMap((one) => [keep(one, keeping), endHooks(one, keeping)]));
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

async function keep(one: Attachable, keeping: Keeping): Promise<void> {
  const { signal, data, lookEveryMs = LOOK_EVERY_MS, awayMs = AWAY_MS } = keeping;
  let seenAt = Date.now();
  let isAway = false;
  while (!signal.aborted) {
    const socket = await socketOf(one, data);
    const isThere = socket !== undefined && (await attachUntilDisconnected(one, socket, keeping));
    if (isThere) {
      seenAt = Date.now();
      isAway = false;
    } else if (!isAway && (socket === undefined || Date.now() - seenAt > awayMs)) {
      isAway = await leave(one, keeping);
    }
    await sleep(lookEveryMs, signal).catch(() => {});
  }
}

/** Whether nothing is left to be done about it. What was attached from elsewhere is not ours to end. */
async function leave(one: Attachable, { client, data }: Keeping): Promise<boolean> {
  const place = knownPlace(data);
  if (place === undefined) return true;
  return one.away(client, place).then(
    () => true,
    () => false,
  );
}

async function endHooks(
  one: Attachable,
  { signal, client, data, lookEveryMs = LOOK_EVERY_MS }: Keeping,
): Promise<void> {
  while (!signal.aborted) {
    await endAbandoned(data, one.name, (call) => one.endHook(client, call));
    await sleep(lookEveryMs, signal).catch(() => {});
  }
}

/** `disconnect` lets go of an agent that is attached. */
async function attachUntilDisconnected(one: Attachable, socket: string, keeping: Keeping): Promise<boolean> {
  const { signal, data, lookEveryMs = LOOK_EVERY_MS } = keeping;
  const gone = new AbortController();
  const timer = setInterval(async () => {
    if ((await socketOf(one, data)) !== socket) gone.abort();
  }, lookEveryMs);
  try {
    return await attach(one, socket, { ...keeping, signal: AbortSignal.any([signal, gone.signal]) });
  } finally {
    clearInterval(timer);
  }
}

/** Whether somebody was there. */
async function attach(
  one: Attachable,
  path: string,
  parts: Pick<Keeping, 'client' | 'waits' | 'signal' | 'log' | 'data'>,
): Promise<boolean> {
  const { client, waits, signal, log, data } = parts;
  let isThere = false;
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const open = async (onText: (text: string) => void) => {
    const talk = await talkOverSocket(path, onText, either);
    isThere = true;
    log.info({ agent: one.name, socket: path }, 'attached to a running agent');
    return talk;
  };
  try {
    const onUnasked = (error: unknown) =>
      log.warn({ agent: one.name, err: error }, 'a request of a running agent is only at its own prompt');
    await one.attach({ client, waits, signal: either, place: placeOf(data), open, onUnasked });
  } catch (error) {
    if (isThere && !signal.aborted) log.warn({ agent: one.name, err: error }, 'lost a running agent');
  } finally {
    over.abort();
  }
  return isThere;
}

/** Of several that are connected it is the latest. */
async function socketOf(one: Attachable, data: string): Promise<string | undefined> {
  try {
    const folder = join(data, 'connections');
    const names = (await readdir(folder)).filter((name) => name.startsWith(`${one.name}-`) && name.endsWith('.json'));
    const paths = names.map((name) => join(folder, name));
    const dated = await Promise.all(paths.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })));
    const [latest] = dated.sort((a, b) => b.at - a.at);
    if (!latest) return undefined;
    return one.socketOf(Connection.parse(JSON.parse(await readFile(latest.path, 'utf8'))).file);
  } catch {
    return undefined;
  }
}
