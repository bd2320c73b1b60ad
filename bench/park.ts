// Parked waiters: asks that nobody answers yet, and connections that wait for them. Owned by the generator's process;
// what the server pays for each is asked of the server.
import { Connection, type Endpoint } from './connection.ts';
import { CONTENDERS, type ContenderName } from './contender.ts';

export interface ParkOrder {
  contender: ContenderName;
  agent: Endpoint;
  /** `asks` on one open stream, one long poll for each ask, or event streams that nothing is written to. */
  what: 'asks' | 'polls' | 'streams';
  count: number;
}

const ASKS_PER_AGENT = 100;
const RAISING_AT_ONCE = 8;

export class ParkingLot {
  #parked: Connection[] = [];
  #askIds: string[] = [];

  /** Polls need asks to wait for. They are raised and read once beforehand: what an ask costs is another figure. */
  async prepare(order: ParkOrder): Promise<void> {
    this.#askIds = order.what === 'polls' ? await raise(order) : [];
    if (order.contender === 'reference') return;
    const connection = await Connection.open(order.agent);
    for (const askId of this.#askIds) await connection.get(`/v1/asks/${askId}`);
    connection.close();
  }

  async park(order: ParkOrder): Promise<void> {
    const { streamPath, pollPath } = CONTENDERS[order.contender];
    if (order.what === 'asks') {
      await this.#open(order, streamPath, 'text/event-stream');
      await raise(order);
    }
    for (const askId of this.#askIds) await this.#open(order, pollPath(askId), 'application/json');
    if (order.what !== 'streams') return;
    for (let i = 0; i < order.count; i++)
      await this.#open(order, streamPath.replace('bench', `bench${i}`), 'text/event-stream');
  }

  async #open({ agent }: ParkOrder, path: string, accept: string): Promise<void> {
    const connection = await Connection.open(agent);
    connection.park(path, accept);
    this.#parked.push(connection);
  }

  release(): void {
    for (const connection of this.#parked) connection.close();
    this.#parked = [];
  }
}

async function raise({ contender, agent, count }: ParkOrder): Promise<string[]> {
  const askIds: string[] = [];
  let agentsLeft = Math.ceil(count / ASKS_PER_AGENT);
  const raiser = async (): Promise<void> => {
    const connection = await Connection.open(agent);
    while (agentsLeft-- > 0) {
      const calls = await CONTENDERS[contender].startAgent(connection);
      for (let n = 0; n < ASKS_PER_AGENT; n++) askIds.push(calls.askIdOf(await connection.post(calls.ask(n))));
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: RAISING_AT_ONCE }, raiser));
  return askIds;
}
