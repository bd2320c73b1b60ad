// The auditor itself: it reports nothing for a true history, and each fault when the same history is altered.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endEverything } from '../support/process.ts';
import { seeded } from '../support/seeded-random.ts';
import { audit } from './auditor.ts';
import type { Account, Attempt, Knowledge } from './knowledge.ts';
import { startLoad } from './load.ts';
import { Phoenix } from './phoenix.ts';

interface History {
  knowledge: Knowledge;
  account: Account;
}

let history: History;
beforeAll(async () => {
  history = await trueHistory();
}, 180_000);
afterAll(endEverything);

it('reports nothing for a true history', () => {
  expect(audit(history.knowledge, history.account)).toEqual([]);
});

describe('the auditor', () => {
  it.each<[string, RegExp, (history: History) => void]>([
    [
      'a lost answer',
      /^lost: /,
      ({ account, knowledge }) => Object.assign(askOf(account, acknowledged(knowledge)), unanswered),
    ],
    [
      'a sighting that is in the log alone',
      /^seen otherwise: /,
      ({ account }) => Object.assign(seenAsk(account), { seen_by: [] }),
    ],
    [
      'a sighting after the end',
      /^seen too late: /,
      ({ account: { events } }) => {
        const at = events.findIndex(({ type }) => type === 'ask.seen');
        events.push(...events.splice(at, 1));
      },
    ],
    [
      'an ask that one person saw twice',
      /^seen twice: /,
      ({ account }) => {
        const { seen_by = [] } = seenAsk(account);
        seen_by.push(...seen_by);
      },
    ],
    [
      'an ask that is gone',
      /^lost: /,
      ({ account, knowledge }) => remove(account.asks, askOf(account, acknowledged(knowledge))),
    ],
    [
      'an answer with other content',
      /^lost: /,
      ({ account, knowledge }) => {
        const attempt = acknowledged(knowledge, (a) => a.decisions[0]?.answer.behavior === 'allow');
        answerOf(account, attempt).behavior = 'deny';
      },
    ],
    [
      'an answer under another name',
      /^lost: /,
      ({ account, knowledge }) => {
        answerOf(account, acknowledged(knowledge)).answered_by = 'somebody else';
      },
    ],
    [
      'two answers that were both acknowledged',
      /^lost: /,
      ({ knowledge }) => {
        knowledge.attempts.push({ ...acknowledged(knowledge), nonce: 'another', by: 'another' });
      },
    ],
    [
      'a refused batch that was half done',
      /^half done: /,
      ({ knowledge }) => {
        Object.assign(acknowledged(knowledge), { result: 'refused', code: 'approval_state_conflict' });
      },
    ],
    [
      'a loser who was told the wrong winner',
      /^misled: /,
      ({ knowledge }) => {
        refused(knowledge).winner = { answered_by: 'nobody', surface: 'api', answered_at_ms: 1, outcome: 'answered' };
      },
    ],
    [
      'a loser who was told nothing',
      /^untold: /,
      ({ knowledge }) => {
        delete refused(knowledge).winner;
      },
    ],
    [
      'an allow that nobody sent',
      /^invented: /,
      ({ knowledge }) => {
        const attempt = acknowledged(knowledge, (a) => a.decisions[0]?.answer.behavior === 'allow');
        remove(knowledge.attempts, attempt);
      },
    ],
    [
      'a denial that became an allow',
      /^invented: /,
      ({ account, knowledge }) => {
        const attempt = acknowledged(knowledge, (a) => a.decisions[0]?.answer.behavior === 'deny');
        answerOf(account, attempt).behavior = 'allow';
      },
    ],
    [
      'an expired approval that is allowed',
      /^invented: /,
      ({ account, knowledge }) => {
        const ask = askOf(
          account,
          acknowledged(knowledge, (a) => a.decisions[0]?.answer.behavior === 'allow'),
        );
        ask.status = 'expired';
        (ask.answer as { outcome: string }).outcome = 'expired';
      },
    ],
    [
      'an end without an author',
      /^unsigned: /,
      ({ account, knowledge }) => {
        answerOf(account, acknowledged(knowledge)).answered_by = '';
      },
    ],
    [
      'an answer that an agent never had',
      /^never applied: /,
      ({ knowledge }) => remove(knowledge.applied, knowledge.applied[0]),
    ],
    [
      'an answer applied twice',
      /^applied twice: /,
      ({ knowledge }) => knowledge.applied.push(...knowledge.applied.slice(0, 1)),
    ],
    [
      'an answer applied that is another one',
      /^applied something else: /,
      ({ knowledge }) => {
        const [first] = knowledge.applied;
        if (first) first.answer.justification = 'forged';
      },
    ],
    [
      'a delivery noted twice',
      /^delivered twice: /,
      ({ account }) => {
        const event = account.events.find((e) => e.type === 'ask.delivered');
        if (event) account.events.push({ ...event, seq: 1_000_000 });
      },
    ],
    [
      'a confirmed delivery that is due again',
      /^forgotten: /,
      ({ account, knowledge }) => {
        const ask = account.asks.find((a) => knowledge.confirmed.has(a.ask_id));
        if (ask) ask.delivery.state = 'due';
      },
    ],
    [
      'an ask claimed twice',
      /^claimed 2 times: /,
      ({ account }) => {
        const event = account.events.find((e) => e.type === 'ask.claimed');
        if (event) account.events.push({ ...event, seq: 1_000_000 });
      },
    ],
    [
      'an event that was altered',
      /^broken log: .* was altered/,
      ({ account }) => {
        const event = account.events.find((e) => e.type === 'ask.claimed');
        if (event) event.data = { ...event.data, kind: 'forged' };
      },
    ],
    [
      'an event that is missing in the middle',
      /^broken log: /,
      ({ account }) => {
        remove(
          account.events,
          account.events.find((e) => e.type === 'ask.raised'),
        );
      },
    ],
    [
      'a link that was cut',
      /^broken log: .* does not link/,
      ({ account }) => {
        const event = account.events.find((e) => e.type === 'ask.raised');
        if (event) event.prev_hash = 'f'.repeat(64);
      },
    ],
    ['a missing tail that somebody had seen', /^shown before it was stored: /, ({ account }) => account.events.pop()],
    [
      'an event that was shown twice',
      /^shown twice: /,
      ({ knowledge }) => knowledge.seen.push(...knowledge.seen.slice(-1)),
    ],
    ['an event that was never shown', /^never shown: /, ({ knowledge }) => knowledge.seen.splice(5, 1)],
    [
      'an ended ask that is listed as open',
      /^listed wrongly: /,
      ({ account }) => {
        const ask = account.asks.find((a) => a.kind === 'approval');
        account.pendingApprovals.push({ request: { id: ask?.ask_id } } as never);
      },
    ],
    [
      'a run that waits for nothing',
      /^stuck: /,
      ({ account }) => {
        Object.assign(account.runs[0] ?? {}, { status: 'waiting_for_approval' });
      },
    ],
    [
      'a run that nobody works on',
      /^stuck: /,
      ({ account }) => Object.assign(account.runs[0] ?? {}, { status: 'running' }),
    ],
    [
      'two active runs in one session',
      /^crowded: /,
      ({ account }) => {
        const session = account.runs[0]?.session_id;
        for (const run of account.runs.filter((r) => r.session_id === session)) run.status = 'running';
      },
    ],
    [
      'mail that was acted on twice',
      /^mail acted 2 times: /,
      ({ knowledge }) => knowledge.mail.push(...knowledge.mail.slice(0, 1)),
    ],
    ['mail that never came', /^mail acted 0 times: /, ({ knowledge }) => knowledge.mail.splice(0)],
    [
      'mail that says something else',
      /^mail says otherwise: /,
      ({ knowledge }) => {
        for (const message of knowledge.mail) message.declined = !message.declined;
      },
    ],
  ])('reports %s', (_, complaint, doctor) => {
    const doctored = structuredClone(history);
    doctor(doctored);
    expect(audit(doctored.knowledge, doctored.account)).toContainEqual(expect.stringMatching(complaint));
  });
});

const unanswered = { status: 'pending', answer: undefined };

function acknowledged({ attempts }: Knowledge, isMeant: (attempt: Attempt) => boolean = () => true): Attempt {
  return found(attempts.find((attempt) => attempt.result === 'acknowledged' && isMeant(attempt)));
}

function refused({ attempts }: Knowledge): Attempt {
  return found(attempts.find((attempt) => attempt.result === 'refused'));
}

function askOf({ asks }: Account, attempt: Attempt) {
  return found(asks.find((ask) => ask.ask_id === attempt.decisions[0]?.askId));
}

const seenAsk = ({ asks }: Account) => found(asks.find(({ seen_by = [] }) => seen_by.length > 0));

const answerOf = (account: Account, attempt: Attempt) => found(askOf(account, attempt).answer);

function remove<T>(list: T[], item: T | undefined): void {
  list.splice(list.indexOf(found(item)), 1);
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the history has nothing of the kind that is to be doctored');
  return value;
}

/** A short load on a real server, long enough to have some of everything. */
async function trueHistory(): Promise<History> {
  const server = await Phoenix.rise();
  const load = await startLoad(server, seeded('auditor'), 4, 3);
  while (!hasSomeOfEverything(load.knowledge)) await sleep(20);
  return { account: await load.rest(), knowledge: load.knowledge };
}

function hasSomeOfEverything({ attempts, mail, applied }: Knowledge): boolean {
  const decided = (behavior: string) =>
    attempts.some((a) => a.result === 'acknowledged' && a.decisions[0]?.answer.behavior === behavior);
  return (
    decided('allow') &&
    decided('deny') &&
    attempts.some((a) => a.result === 'refused') &&
    mail.length > 2 &&
    applied.length > 20
  );
}
