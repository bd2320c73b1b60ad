// One round: a fleet, a load, mischief for a while, then everything is healed, everybody comes to rest, and the auditor
// holds what clients know against what the servers say. Resolves to what happened; an empty list of complaints is good.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../support/seeded-random.ts';
import { audit } from './auditor.ts';
import { countOf } from './count.ts';
import { Database } from './database.ts';
import { Fleet } from './fleet.ts';
import type { Account, Knowledge } from './knowledge.ts';
import { startLoad } from './load.ts';
import { wreak } from './mischief.ts';

export interface RoundOptions {
  seed: string;
  seconds: number;
  /** Goes on until there are as many asks, at most 1.6 times as long. */
  leastAsks?: number;
  /** One server with its own SQLite file instead of several on one PostgreSQL. */
  sqlite?: boolean | undefined;
  nodes: number;
  workers: number;
  agents: number;
  hosted: number;
  answerers: number;
  /** Longest rest between two faults of one kind. */
  pauseMs: number;
  /** The folder of an earlier release: the round begins with its servers, which are upgraded one by one before any fault. */
  earlier?: string | undefined;
  /** Where the history goes, and all evidence when something was found. */
  folder: string;
  onProgress?(line: string): void;
}

export interface RoundReport {
  seed: string;
  seconds: number;
  faults: Record<string, number>;
  starts: Record<string, number>;
  operations: { sent: number; lost: number; refused: number; twice: number; swallowed: number };
  asks: Record<string, number>;
  modes: Record<string, number>;
  answers: Record<string, number>;
  deliveries: Record<string, number>;
  runs: Record<string, number>;
  applied: number;
  clarifications: number;
  events: number;
  sessions: number;
  /** Ends that no agent heard because their run was stopped: cancelled or expired questions, mostly. */
  unheard: number;
  complaints: string[];
}

const LOOK_MS = 5000;

export async function runRound(options: RoundOptions): Promise<RoundReport> {
  const random = randomOf(options.seed);
  mkdirSync(options.folder, { recursive: true });
  const database = options.sqlite ? undefined : await Database.start();
  const { workers, folder, earlier } = options;
  const nodes = database ? options.nodes : 1;
  const historyPath = join(folder, 'history.ndjson');
  const fleet = await Fleet.start({
    nodes,
    workers,
    ...(database && { database }),
    earlier,
    random: random.fork('fleet'),
    historyPath,
  });
  try {
    return await play(fleet, options, random);
  } finally {
    await fleet.stop();
    await database?.stop();
  }
}

async function play(fleet: Fleet, options: RoundOptions, random: ReturnType<typeof randomOf>): Promise<RoundReport> {
  const startedAt = performance.now();
  const secondsGone = () => (performance.now() - startedAt) / 1000;
  const { agents, answerers, hosted, seconds, leastAsks = 0 } = options;
  const load = await startLoad(fleet, random, agents, answerers, {
    hosted,
    parents: Math.ceil(agents / 3),
    manners: { pollMs: 250, together: 6 },
    atOnce: 6,
  });
  const { knowledge } = load;
  if (options.earlier !== undefined) {
    await fleet.upgrade((1000 * seconds) / 3);
    options.onProgress?.(
      `${Math.round(secondsGone())} s: upgraded; ${knowledge.applied.length} answers applied meanwhile`,
    );
  }
  let over = false;
  const mischief = wreak(fleet, random.fork('mischief'), () => over, options.pauseMs);
  const enough = () =>
    secondsGone() >= seconds && (knowledge.applied.length >= leastAsks || secondsGone() > 1.6 * seconds);
  let lookedAt = 0;
  const told = new Set<string>();
  while (!enough()) {
    await sleep(Math.min(LOOK_MS, seconds * 100));
    if (secondsGone() - lookedAt < 30) continue;
    lookedAt = secondsGone();
    options.onProgress?.(
      `${Math.round(lookedAt)} s: ${fleet.operations} operations, ${knowledge.applied.length} answers applied by external agents, ${knowledge.seen.length} events seen`,
    );
    const wrong = [...fleet.defects, ...knowledge.faults].filter((complaint) => !told.has(complaint));
    for (const complaint of wrong) options.onProgress?.(`complaint: ${complaint}`);
    for (const complaint of wrong) told.add(complaint);
  }
  over = true;
  await mischief.done;
  await fleet.heal();
  options.onProgress?.(`${Math.round(secondsGone())} s: healed; everybody comes to rest`);
  const account = await load.rest();
  const complaints = [...fleet.defects, ...audit(knowledge, account)];
  const report = summary(fleet, options, knowledge, account, mischief.counts, secondsGone(), complaints);
  if (complaints.length > 0)
    writeFileSync(
      join(options.folder, 'evidence.json'),
      JSON.stringify({ report, account, knowledge: plain(knowledge) }),
    );
  return report;
}

function summary(
  fleet: Fleet,
  { seed }: RoundOptions,
  knowledge: Knowledge,
  account: Account,
  faults: Record<string, number>,
  seconds: number,
  complaints: string[],
): RoundReport {
  const members = [...fleet.nodes, ...fleet.workers];
  const swallowed = [fleet.balancer, ...fleet.nodes.flatMap(({ door, line }) => (line ? [door, line] : [door]))];
  return {
    seed,
    seconds: Math.round(seconds),
    faults,
    starts: Object.fromEntries(members.map(({ name, starts }) => [name, starts])),
    operations: {
      sent: fleet.operations,
      lost: fleet.lost,
      refused: fleet.refused,
      twice: fleet.twins,
      swallowed: swallowed.reduce((sum, proxy) => sum + proxy.swallowed, 0),
    },
    asks: counted(account.asks.map((ask) => ask.status)),
    modes: counted(account.asks.map((ask) => ask.mode)),
    answers: counted(knowledge.attempts.map((attempt) => attempt.result)),
    deliveries: counted(account.asks.map((ask) => ask.delivery.state)),
    runs: counted(account.runs.map((run) => run.status)),
    applied: knowledge.applied.length,
    clarifications: knowledge.mail.length,
    events: account.events.length,
    sessions: account.sessions.length,
    unheard: knowledge.unheard.size,
    complaints,
  };
}

const counted = (words: readonly string[]): Record<string, number> => Object.fromEntries(countOf(words));

const plain = (knowledge: Knowledge) => ({
  ...knowledge,
  confirmed: [...knowledge.confirmed],
  unheard: [...knowledge.unheard],
  liveRuns: [...knowledge.liveRuns],
});
