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

export async function park(order: ParkOrder): Promise<{ release(): void }> {
  const contender = CONTENDERS[order.contender];
  const parked: Connection[] = [];
  const open = async (path: string, accept: string): Promise<void> => {
    const connection = await Connection.open(order.agent);
    connection.park(path, accept);
    parked.push(connection);
  };
  if (order.what === 'asks') await open(contender.streamPath, 'text/event-stream');
  if (order.what !== 'streams') {
    const askIds = await raise(order);
    if (order.what === 'polls') for (const askId of askIds) await open(contender.pollPath(askId), 'application/json');
  } else {
    for (let i = 0; i < order.count; i++)
      await open(contender.streamPath.replace('bench', `bench${i}`), 'text/event-stream');
  }
  return {
    release() {
      for (const connection of parked) connection.close();
    },
  };
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
