// Agents, answerers and a follower at work on one server, and how they come to rest: agents finish the run they are in,
// answerers go on until the last of them is done. A client that gives up says why in `faults`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/seeded-random.ts';
import { type Manners, openParent, PARENT_SESSION, runAgent } from './agent.ts';
import { runAnswerer } from './answerer.ts';
import { follow } from './follower.ts';
import { hear, runHosted } from './hosted.ts';
import { type Account, accountOf, type Knowledge, noKnowledge, pages } from './knowledge.ts';
import type { Server } from './phoenix.ts';

/** Nothing at all happens for as long: somebody waits for what never comes. */
const STUCK_MS = 90_000;

interface MoreLoad {
  /** Sessions whose agents workers host. */
  hosted?: number;
  /** Sessions that agents ask for clarifications, one after the other each. */
  parents?: number;
  manners?: Omit<Manners, 'parent'>;
  /** Most decisions that an answerer sends at once. */
  atOnce?: number;
}

export interface Load {
  knowledge: Knowledge;
  /** Lets everybody finish, then reads the server's account, all of which the follower has seen by then. */
  rest(): Promise<Account>;
}

export async function startLoad(
  server: Server,
  random: Random,
  agents: number,
  answerers: number,
  { hosted = 0, parents = 1, manners, atOnce = 1 }: MoreLoad = {},
): Promise<Load> {
  const knowledge = noKnowledge();
  const parentOf = (i: number) => (i % parents === 0 ? PARENT_SESSION : `${PARENT_SESSION}-${i % parents}`);
  for (let i = 0; i < parents; i++) await openParent(server, parentOf(i));
  const follower = follow(server, knowledge);
  let agentsStop = false;
  let answerersStop = false;
  const client = (name: string) => ({ name, random: random.fork(name), server, knowledge });
  const orFault = (name: string) => (error: unknown) => {
    knowledge.faults.push(`${name} gave up: ${error}`);
  };
  const working = [
    ...named('agent', agents).map((name, i) =>
      runAgent({ ...client(name), ...manners, parent: parentOf(i), stopping: () => agentsStop }).catch(orFault(name)),
    ),
    ...named('script', hosted).map((name) =>
      runHosted({ ...client(name), stopping: () => agentsStop }).catch(orFault(name)),
    ),
  ];
  const answering = named('answerer', answerers).map((name) =>
    runAnswerer({ ...client(name), atOnce, stopping: () => answerersStop }).catch(orFault(name)),
  );
  /** Waits as long as anything happens; once nothing does, the auditor names what is stuck. */
  const within = async (done: Promise<unknown>, fault: string): Promise<void> => {
    const over = done.then(() => 'done');
    for (let before = -1, now = progressOf(knowledge); now > before; now = progressOf(knowledge)) {
      const giveUp = new AbortController();
      const late = sleep(STUCK_MS, 'late', { signal: giveUp.signal }).catch(() => {});
      const first = await Promise.race([over, late]);
      giveUp.abort();
      if (first === 'done') return;
      before = now;
    }
    knowledge.faults.push(fault);
  };
  return {
    knowledge,
    async rest() {
      agentsStop = true;
      await within(Promise.all(working), 'the agents wait for something that never comes');
      answerersStop = true;
      await within(Promise.all(answering), 'the answerers wait for something that never comes');
      const account = await accountOf(server.call);
      await within(
        follower.until(account.events.at(-1)?.seq ?? 0),
        'the follower waits for something that never comes',
      );
      follower.stop();
      // A server that appended a checkpoint after the account was taken has shown it.
      if ((knowledge.seen.at(-1)?.seq ?? 0) > (account.events.at(-1)?.seq ?? 0))
        account.events = await pages(server.call, '/v1/events');
      hear(knowledge, account);
      return account;
    },
  };
}

const named = (what: string, count: number) => Array.from({ length: count }, (_, i) => `${what}-${i + 1}`);

const progressOf = ({ applied, confirmed, mail, seen }: Knowledge): number =>
  applied.length + confirmed.size + mail.length + seen.length;
