// The agents of the soak test: each asks one thing after the other through an MCP client, repeats a call that was cut off
// with the same words until it has the answer, and checks that it is the answer to what it asked.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy } from '../../faults/tcp-proxy.ts';
import { send } from '../../support/http.ts';
import type { Holdpoint } from '../../support/process.ts';
import { COMPILED, root } from '../../support/process.ts';
import type { Random } from '../../support/seeded-random.ts';
import { SHARED } from '../../support/shared-database.ts';
import { answerTo, LATE } from './person.ts';

type Fields = Record<string, unknown>;
type Transport = 'http' | 'stdio';

interface Connected {
  call(name: string, args: Fields, signal: AbortSignal): Promise<Fields>;
  close(): Promise<void>;
}

export interface Driver {
  name: string;
  /** Whether its calls can be aborted. */
  aborts: Record<Transport, boolean>;
  connect(to: Fields): Promise<Connected>;
}

export interface Tally {
  questions: number;
  cuts: number;
  /** The questions whose answer an agent has. */
  received: Set<string>;
}

interface Agent {
  who: string;
  driver: Driver;
  transport: Transport;
  servers: readonly Holdpoint[];
  random: Random;
  cuts: number;
  tally: Tally;
  problems: string[];
}

const MOST_TURNS = 60;
/** For an answer that takes ten minutes. */
const MOST_LATE_TURNS = 15;
const PARALLEL = 2;

/** A client in a session of its own, with two loops that ask at the same time, until so many calls were cut off. */
export async function agentsOf(agent: Agent): Promise<void> {
  const { servers, random } = agent;
  const proxy = await TcpProxy.open(() => Number(new URL(random.pick(servers).url).port));
  const link = new Link(agent, proxy, await tokenFor(servers[0] as Holdpoint));
  let own = 0;
  const loop = async (n: number) => {
    for (let i = 1; own < agent.cuts; i++) {
      own += await askOnce(agent, link, `${agent.who} / ${n}.${i}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: PARALLEL }, (_, n) => loop(n + 1)));
  } finally {
    await link.close();
    proxy.close();
  }
}

/** A client that cuts nothing off waits for a person who takes long. Returns how many calls, that is model turns, it made. */
export async function turnsUntilAnswer(
  agent: Pick<Agent, 'who' | 'driver' | 'transport' | 'problems' | 'tally'> & { server: Holdpoint },
): Promise<number> {
  const { server, driver, transport, problems, tally } = agent;
  const client = await driver.connect(addressFor(transport, server.url, await tokenFor(server)));
  const text = `${agent.who}: ${LATE}`;
  const signal = new AbortController().signal;
  let result = await client.call('ask_user', { questions: [{ id: 'q', question: text }] }, signal);
  let turns = 1;
  for (; result.status === 'pending' && turns < MOST_LATE_TURNS; turns++)
    result = await client.call('check_answer', { ask_id: result.ask_id }, signal);
  const given = (result.answers as { text?: string }[] | undefined)?.[0]?.text;
  if (given === answerTo(text)) tally.received.add(text);
  else problems.push(`${agent.who}: after ${turns} turns ${JSON.stringify(result)}`);
  await client.close();
  return turns;
}

/** Returns how many of its calls were cut off. */
async function askOnce(agent: Agent, link: Link, text: string): Promise<number> {
  const { random, problems, tally } = agent;
  const isApproval = random.chance(0.4);
  const asked: Fields = isApproval
    ? { tool_name: 'Bash', input: { text } }
    : { questions: [{ id: 'q', question: text }] };
  const tool = isApproval ? 'request_approval' : 'ask_user';
  let name: unknown;
  let cuts = 0;
  tally.questions += 1;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const isCut = cuts < 4 && random.chance(0.7);
    const call: [string, Fields] = name === undefined ? [tool, asked] : ['check_answer', { ask_id: name }];
    const result = await (isCut ? link.cutOff(...call) : link.call(...call)).catch((error: Error) => error);
    if (isCut && result instanceof Error) {
      cuts += 1;
      tally.cuts += 1;
      // An agent that was cut off does not know the name.
      if (random.chance(0.5)) await sleep(random.int(0, 400));
      continue;
    }
    if (result instanceof Error) {
      // Another loop of this client cut the connection.
      if (turn < MOST_TURNS - 1) continue;
      problems.push(`${text}: ${result.message}`);
      return cuts;
    }
    if (result.status === 'pending') {
      name = result.ask_id;
      continue;
    }
    const given = isApproval
      ? (result.updatedInput as Fields | undefined)?.answer
      : (result.answers as { text?: string }[] | undefined)?.[0]?.text;
    if (given === answerTo(text)) tally.received.add(text);
    else problems.push(`${text}: received ${JSON.stringify(result)}`);
    return cuts;
  }
  problems.push(`${text}: no answer in ${MOST_TURNS} turns`);
  return cuts;
}

/** The connection of one client, which comes back after it was cut. */
class Link {
  readonly #agent: Agent;
  readonly #proxy: TcpProxy;
  readonly #token: string;
  readonly #aborts = new Set<AbortController>();
  #client: Promise<Connected> | undefined;

  constructor(agent: Agent, proxy: TcpProxy, token: string) {
    this.#agent = agent;
    this.#proxy = proxy;
    this.#token = token;
  }

  async call(name: string, args: Fields): Promise<Fields> {
    return (await this.#begin(name, args)).result;
  }

  /** Rejects unless the answer was faster. */
  async cutOff(name: string, args: Fields): Promise<Fields> {
    const { random, driver, transport } = this.#agent;
    const { client, abort, result } = await this.#begin(name, args);
    result.catch(() => {});
    const afterMs = random.int(0, 400);
    const canAbort = driver.aborts[transport];
    const how =
      transport === 'stdio' ? (canAbort && random.chance(0.8) ? 'abort' : 'close') : random.pick(['abort', 'network']);
    let isOver = false;
    result.then(
      () => {
        isOver = true;
      },
      () => {},
    );
    const cut = sleep(afterMs).then(async () => {
      if (isOver) return result;
      if (how === 'network') this.#proxy.cut();
      if (how === 'close') await this.#drop(client);
      // What a timeout of the client does, too. A connection that is cut takes every call of the client with it.
      const ended = how === 'network' ? [...this.#aborts] : [abort];
      if (canAbort) for (const each of ended) each.abort(new Error('Request timed out'));
      await sleep(5);
      throw new Error('cut off');
    });
    cut.catch(() => {});
    return Promise.race([result, cut]);
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.close().catch(() => {});
  }

  async #begin(name: string, args: Fields) {
    const client = await this.#connected();
    const abort = new AbortController();
    this.#aborts.add(abort);
    const result = client.call(name, args, abort.signal).finally(() => this.#aborts.delete(abort));
    return { client, abort, result };
  }

  #connected(): Promise<Connected> {
    const { driver, transport, servers, random } = this.#agent;
    if (!this.#client) {
      const url = transport === 'http' ? `http://127.0.0.1:${this.#proxy.port}` : random.pick(servers).url;
      this.#client = this.#retry(() => driver.connect(addressFor(transport, url, this.#token)));
    }
    return this.#client;
  }

  /** Greeting a server may be cut as well. */
  async #retry(connect: () => Promise<Connected>): Promise<Connected> {
    for (let left = 5; ; left--) {
      try {
        return await connect();
      } catch (error) {
        if (left === 0) throw error;
        await sleep(50);
      }
    }
  }

  async #drop(client: Connected): Promise<void> {
    this.#client = undefined;
    await client.close().catch(() => {});
  }
}

async function tokenFor({ url }: Holdpoint): Promise<string> {
  const call = <T>(path: string, body: object) => send<T>(url, { token: SHARED.HOLDPOINT_TOKEN, path, body });
  const { session_id } = (await call<{ session_id: string }>('/v1/sessions', { agent: 'external' })).body;
  return (await call<{ token: string }>('/v1/tokens', { scope: 'agent', session_id })).body.token;
}

const addressFor = (transport: Transport, url: string, token: string): Fields => ({
  transport,
  url: `${url}/mcp`,
  token,
  command: process.execPath,
  args: [join(root, 'src/cli/main.ts'), 'mcp'],
  env: { PATH: process.env.PATH ?? '', HOLDPOINT_URL: url, HOLDPOINT_TOKEN: token, NODE_COMPILE_CACHE: COMPILED },
});
