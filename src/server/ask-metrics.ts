// Derives the metrics of asks from the log: how many were raised and how they ended, how long until a person saw, answered
// and the agent had the answer. It follows the feed, so the requests that append events pay nothing. Asks that were open
// when the process started are looked up once.
import { Counter, Histogram, type Registry } from 'prom-client';
import { ASK_KINDS } from '../core/ask.ts';
import type { AskView } from '../core/views.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { SYSTEM_READER } from './system-reader.ts';

/** From a second to a week: people answer. */
const HUMAN_BUCKETS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 4 * 3600, 12 * 3600, 86_400, 7 * 86_400];
/** From 10 ms to a day: programs fetch the answer, unless they are away. */
const DELIVERY_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 3600, 86_400];
/** Asks whose instants are remembered; the oldest are forgotten, and their times not observed. */
const MOST_REMEMBERED = 100_000;

interface Open {
  kind: string;
  raisedAt: number;
  isSeen: boolean;
  endedAt?: number;
}

export interface AskEvent {
  type: string;
  at: number;
  askId: string | undefined;
  data: string;
}

export function askMetrics(registers: Registry[]): {
  note(event: AskEvent): void;
  recall(gateway: Gateway): Promise<void>;
} {
  const open = new Map<string, Open>();
  const metric = { registers };
  const raised = new Counter({
    ...metric,
    name: 'holdpoint_asks_raised_total',
    help: 'Asks that agents raised',
    labelNames: ['kind'],
  });
  const ended = new Counter({
    ...metric,
    name: 'holdpoint_asks_ended_total',
    help: 'Asks that ended, by outcome: allow, deny, answered, declined, cancelled, expired, failed',
    labelNames: ['kind', 'outcome', 'decided_by'],
  });
  const wait = (name: string, help: string, buckets: number[]) =>
    new Histogram({ ...metric, name, help, labelNames: ['kind'], buckets });
  const toSeen = wait('holdpoint_ask_seen_seconds', 'From raising an ask until a person saw it', HUMAN_BUCKETS);
  const toAnswer = wait('holdpoint_ask_answer_seconds', 'From raising an ask until a person decided it', HUMAN_BUCKETS);
  const toDelivery = wait(
    'holdpoint_ask_delivery_seconds',
    'From the decision until the agent had it',
    DELIVERY_BUCKETS,
  );
  // A rate is not seen to rise from nothing: what is watched begins at 0.
  for (const kind of ASK_KINDS) {
    raised.inc({ kind }, 0);
    ended.inc({ kind, outcome: 'expired', decided_by: 'system' }, 0);
    for (const histogram of [toSeen, toAnswer, toDelivery]) histogram.zero({ kind });
  }

  const remember = (id: string, ask: Open) => {
    if (open.has(id)) return;
    open.set(id, ask);
    if (open.size > MOST_REMEMBERED) open.delete(open.keys().next().value ?? '');
  };

  function end(id: string, at: number, data: string): void {
    const { answer, kind } = JSON.parse(data) as { answer: Answer; kind: string };
    const decided_by = answer.surface === 'system' ? 'system' : 'person';
    ended.inc({ kind, outcome: answer.behavior ?? answer.outcome, decided_by });
    const ask = open.get(id);
    if (!ask) return;
    ask.endedAt = at;
    if (decided_by === 'person') toAnswer.observe({ kind }, seconds(ask.raisedAt, at));
  }

  return {
    note({ type, at, askId, data }) {
      if (askId === undefined || !type.startsWith('ask.')) return;
      const ask = open.get(askId);
      if (type === 'ask.raised') {
        const { kind } = JSON.parse(data) as { kind: string };
        raised.inc({ kind });
        remember(askId, { kind, raisedAt: at, isSeen: false });
      }
      if (type === 'ask.seen' && ask && !ask.isSeen) {
        ask.isSeen = true;
        toSeen.observe({ kind: ask.kind }, seconds(ask.raisedAt, at));
      }
      if (type === 'ask.claimed') end(askId, at, data);
      if (type === 'ask.delivered' && ask?.endedAt !== undefined)
        toDelivery.observe({ kind: ask.kind }, seconds(ask.endedAt, at));
      if (type === 'ask.delivered' || type === 'ask.undeliverable') open.delete(askId);
    },
    async recall(gateway) {
      for (const filter of [{ status: 'pending' }, { delivery: 'due' }] as const) {
        const { views } = await gateway.listAsks(filter, { limit: 500 }, SYSTEM_READER);
        for (const view of views) remember(view.ask_id, openOf(view));
      }
    },
  };
}

interface Answer {
  outcome: string;
  behavior?: string;
  surface: string;
}

const seconds = (from: number, to: number): number => Math.max(0, to - from) / 1000;

const openOf = ({ kind, created_at_ms, seen_by, answer }: AskView): Open => ({
  kind,
  raisedAt: created_at_ms,
  isSeen: (seen_by?.length ?? 0) > 0,
  ...(answer && { endedAt: answer.answered_at_ms }),
});
