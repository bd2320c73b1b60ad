// Load: each lane is an agent that asks, a person who answers on another connection, and the agent going on when the
// answer arrives on the one stream that all lanes share. A cycle ends when the agent has the answer, the person has the
// response, and, where it is asked for, the server has taken the acknowledgement.
import { get } from 'node:http';
import { type Caller, Connection, type Endpoint } from './connection.ts';
import { type Agent, CONTENDERS, type Contender, type ContenderName } from './contender.ts';
import { Fetching } from './fetching.ts';

export interface LoadOrder {
  contender: ContenderName;
  /** The agent's side and the person's side use tokens of their own. */
  agent: Endpoint;
  person: Endpoint;
  concurrency: number;
  acknowledge: boolean;
  /** Bare sockets measure the server alone; fetch is what users have. */
  client?: 'socket' | 'fetch';
  warmUpMs: number;
  measureMs: number;
}

export interface LoadResult {
  cycles: number;
  seconds: number;
  /** Answer sent → agent has it. */
  latencyMs: { p50: number; p99: number };
  /** CPU of the generator as a share of one core: near 1, the generator itself is the limit. */
  generatorShare: number;
}

interface Phase {
  measuring: boolean;
  over: boolean;
  cycles: number;
  latencies: number[];
}

type Arrivals = Map<string, () => void>;

/** `onMeasuring` is called when the warm-up is over. */
export async function generate(order: LoadOrder, onMeasuring: () => void): Promise<LoadResult> {
  const contender = CONTENDERS[order.contender];
  const arrivals: Arrivals = new Map();
  const stream = await follow(contender, order.agent, arrivals);
  const phase: Phase = { measuring: false, over: false, cycles: 0, latencies: [] };
  const connections: Caller[] = [];
  const open = (endpoint: Endpoint) => (order.client === 'fetch' ? new Fetching(endpoint) : Connection.open(endpoint));
  const lanes: (() => Promise<void>)[] = [];
  for (let i = 0; i < order.concurrency; i++) {
    const agent = await open(order.agent);
    const person = await open(order.person);
    connections.push(agent, person);
    const calls = await contender.startAgent(agent);
    lanes.push(() => lane(calls, agent, person, arrivals, phase, order.acknowledge));
  }
  const running = Promise.all(lanes.map((run) => run()));
  await Promise.race([running, sleep(order.warmUpMs)]);
  phase.measuring = true;
  onMeasuring();
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  await Promise.race([running, sleep(order.measureMs)]);
  phase.over = true;
  const seconds = (performance.now() - startedAt) / 1000;
  const { cycles, latencies } = phase;
  const { user, system } = process.cpuUsage(cpuBefore);
  await running;
  for (const connection of connections) connection.close();
  stream.close();
  const sorted = latencies.sort((a, b) => a - b);
  const latencyMs = { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
  return { cycles, seconds, latencyMs, generatorShare: (user + system) / 1e6 / seconds };
}

async function lane(
  calls: Agent,
  agent: Caller,
  person: Caller,
  arrivals: Arrivals,
  phase: Phase,
  acknowledge: boolean,
): Promise<void> {
  for (let n = 0; !phase.over; n++) {
    const askId = calls.askIdOf(await agent.post(calls.ask(n)));
    const arrived = new Promise<void>((resolve) => arrivals.set(askId, resolve));
    const sentAt = performance.now();
    const responded = person.post(calls.answer(askId));
    await Promise.race([arrived, responded.then(() => arrived)]);
    if (phase.measuring && !phase.over) phase.latencies.push(performance.now() - sentAt);
    if (acknowledge) await agent.post(calls.acknowledge(askId));
    await responded;
    if (phase.measuring && !phase.over) phase.cycles++;
  }
}

/** Resolves when the stream is open: from then on no arrival is missed. */
function follow(contender: Contender, endpoint: Endpoint, arrivals: Arrivals): Promise<{ close(): void }> {
  const { port, token } = endpoint;
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', path: contender.streamPath, headers, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the stream was refused: ${response.statusCode}`));
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        const frames = (rest + text).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          const askId = contender.arrived(frame);
          if (askId === undefined) continue;
          arrivals.get(askId)?.();
          arrivals.delete(askId);
        }
      });
      resolve({ close: () => request.destroy() });
    });
    request.on('error', reject);
  });
}

const quantile = (sorted: number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
