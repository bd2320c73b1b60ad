// Several servers on one database, workers beside them, proxies in between, and one way for clients to talk to all of
// it: any server will do, a request without an answer is sent again, unchanged, to whichever is there. Every operation
// is written to a history, which is what one reads after a round has found something.
import { randomBytes } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Received, type Sent, send } from '../support/http.ts';
import { root, temporaryFolder } from '../support/process.ts';
import type { Random } from '../support/seeded-random.ts';
import type { Database } from './database.ts';
import { Member } from './member.ts';
import { TcpProxy } from './tcp-proxy.ts';

const RETRY_MS = 40;
const PATIENCE_MS = 12_000;
export const LEASE_MS = 3000;
const TWINS = 0.03;
const SKEWS_MS = [0, 4000, -3000, 60_000];
const IN_FLIGHT = 'still being worked on';

export interface FleetNode extends Member {
  /** Between clients and this server. */
  door: TcpProxy;
  /** Between this server and the database. */
  line: TcpProxy | undefined;
  skewMs: number;
  /** The folder of the release that it runs; this one by default. */
  release: string | undefined;
}

export interface FleetOptions {
  nodes: number;
  workers: number;
  /** Without one a single server with its own SQLite file. */
  database?: Database;
  /** The folder of an earlier release, which the servers run until `upgrade`. */
  earlier?: string | undefined;
  random: Random;
  historyPath: string;
}

export class Fleet {
  readonly token = randomBytes(24).toString('base64url');
  readonly nodes: FleetNode[] = [];
  readonly workers: Member[] = [];
  readonly database: Database | undefined;
  /** Any server: where workers come in. */
  readonly balancer: TcpProxy;
  operations = 0;
  lost = 0;
  refused = 0;
  twins = 0;
  readonly faults: string[] = [];
  readonly #random: Random;
  readonly #history: WriteStream;
  #workerToken = '';
  #closed = false;

  static async start(options: FleetOptions): Promise<Fleet> {
    let fleet: Fleet | undefined;
    const pick = () => fleet?.anyPort();
    fleet = new Fleet(options, await TcpProxy.open(pick));
    for (let i = 0; i < options.nodes; i++) fleet.nodes.push(await fleet.#makeNode(i, options.earlier));
    await Promise.all(fleet.nodes.map((node) => node.join()));
    const made = await fleet.call<{ token: string }>({
      path: '/v1/tokens',
      body: { scope: 'worker', name: 'workers' },
    });
    fleet.#workerToken = made.body.token;
    for (let i = 0; i < options.workers; i++) fleet.workers.push(fleet.#makeWorker(i));
    await Promise.all(fleet.workers.map((worker) => worker.join()));
    return fleet;
  }

  private constructor(options: FleetOptions, balancer: TcpProxy) {
    this.database = options.database;
    this.balancer = balancer;
    this.#random = options.random;
    this.#history = createWriteStream(options.historyPath);
  }

  async #makeNode(index: number, release: string | undefined): Promise<FleetNode> {
    const { database } = this;
    const line = database && (await TcpProxy.open(() => database.port));
    const data = temporaryFolder();
    const shared = {
      HOLDPOINT_TOKEN: this.token,
      HOLDPOINT_SECRET_KEY: Buffer.from('one secret key for both servers!').toString('base64url'),
    };
    const member: Member = new Member(`node-${index + 1}`, () => ({
      data,
      via: 'main',
      release: node.release,
      args: database ? ['--no-worker'] : [],
      env: {
        ...shared,
        ...(line && database && { HOLDPOINT_DATABASE_URL: database.url(line.port) }),
        NODE_OPTIONS: `--import ${join(root, 'test', 'faults', 'skewed-clock.mjs')}`,
        FAULTS_CLOCK_OFFSET_MS: String(node.skewMs),
      },
    }));
    const door = await TcpProxy.open(() => portOf(member.url));
    const skewMs = SKEWS_MS[index % SKEWS_MS.length] ?? 0;
    const node: FleetNode = Object.assign(member, { door, line, skewMs, release });
    return node;
  }

  /** Replaces the servers of the earlier release one after the other; each pair runs side by side for as long. */
  async upgrade(sideBySideMs: number): Promise<void> {
    for (const node of this.nodes) {
      await sleep(sideBySideMs);
      node.release = undefined;
      await node.end('SIGTERM');
    }
    await sleep(sideBySideMs);
  }

  #makeWorker(index: number): Member {
    const data = temporaryFolder();
    const name = `worker-${index + 1}`;
    const args = ['--url', `http://127.0.0.1:${this.balancer.port}`, '--token', this.#workerToken];
    const limits = ['--lease-ms', String(LEASE_MS), '--concurrency', '16'];
    return new Member(name, () => ({ data, via: 'main', command: ['worker'], args: [...args, ...limits] }));
  }

  /** A server that is up, as far as is known. */
  anyPort(): number | undefined {
    const up = this.nodes.filter((node) => node.url !== undefined);
    return up.length === 0 ? undefined : portOf(this.#random.pick(up).url);
  }

  async url(): Promise<string> {
    for (;;) {
      const up = this.nodes.filter((node) => node.url !== undefined);
      if (up.length > 0) return `http://127.0.0.1:${this.#random.pick(up).door.port}`;
      await sleep(RETRY_MS);
    }
  }

  /** Bound, so that it can be handed around. */
  readonly call = async <T>(sent: Sent): Promise<Received<T>> => {
    while (!this.#closed) {
      const received = await this.#attempt<T>(sent);
      if (received && !isPassing(received)) {
        if (received.status >= 500) throw new Error(`${sent.path} answered ${received.status}: ${received.text}`);
        return received;
      }
      if (received) this.refused += 1;
      else this.lost += 1;
      await sleep(RETRY_MS + this.#random.int(0, 100));
    }
    throw new Error('the round is over');
  };

  readonly read = async <T>(path: string, token = this.token): Promise<T> => {
    const { status, text, body } = await this.call<T>({ path, token });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    return body;
  };

  /** Now and then a change is sent to two servers at once, as by a client that was impatient. */
  async #attempt<T>(sent: Sent): Promise<Received<T> | undefined> {
    const key = sent.headers?.['idempotency-key'];
    if (sent.body === undefined || !this.#random.chance(TWINS)) return this.#once<T>(sent);
    this.twins += 1;
    const [first, second] = await Promise.all([this.#once<T>(sent), this.#once<T>(sent)]);
    const both = first && second && first.status < 300 && second.status < 300;
    if (key !== undefined && both && first.text !== second.text)
      this.faults.push(`the key ${key} was answered with ${first.text} and with ${second.text}`);
    const settled = [first, second].filter((r) => r && !isPassing(r));
    return settled.find((r) => (r?.status ?? 999) < 300) ?? settled[0] ?? first ?? second;
  }

  async #once<T>(sent: Sent): Promise<Received<T> | undefined> {
    const url = await this.url();
    const startedAt = Date.now();
    this.operations += 1;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const received = await send<T>(url, { token: this.token, signal, ...sent }).catch(() => undefined);
    const { path, body, headers } = sent;
    const told = { status: received?.status ?? 'lost', ms: Date.now() - startedAt, at: startedAt };
    const isChange = body !== undefined;
    if (!this.#closed)
      this.#history.write(
        `${JSON.stringify({ ...told, url, path, ...(isChange && { body, key: headers?.['idempotency-key'], text: received?.text.slice(0, 300) }) })}\n`,
      );
    return received;
  }

  /** Everything in between works again, everybody is awake. */
  async heal(): Promise<void> {
    for (const proxy of [this.balancer, ...this.nodes.flatMap(({ door, line }) => (line ? [door, line] : [door]))])
      proxy.heal();
    for (const member of [...this.nodes, ...this.workers]) member.wake();
    while ([...this.nodes, ...this.workers].some((member) => member.url === undefined)) await sleep(RETRY_MS);
  }

  get defects(): string[] {
    return [...this.faults, ...[...this.nodes, ...this.workers].flatMap((member) => member.defects)];
  }

  async stop(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.nodes, ...this.workers].map((member) => member.leave()));
    for (const proxy of [this.balancer, ...this.nodes.flatMap(({ door, line }) => (line ? [door, line] : [door]))])
      proxy.close();
    await new Promise<void>((resolve) => this.#history.end(() => resolve()));
  }
}

const portOf = (url: string | undefined): number | undefined =>
  url === undefined ? undefined : Number(new URL(url).port);

/** Said nothing about the request but that it should come again. */
function isPassing({ status, text }: Received<unknown>): boolean {
  return status === 503 || status === 502 || (status === 409 && text.includes(IN_FLIGHT));
}
