// A crash at every write: a script is played once for each write it makes. At that write the store refuses, the process
// dies before the commit, or it dies after the commit and before the reply. Then the step is repeated with the same key.
// The outcome, to the last reply, must be the one without the crash.
// Covers: src/gateway/gateway.ts, src/gateway/mutate.ts

import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/core/ports.ts';
import { type OpenGateway, openGateway } from '../support/gateway.ts';
import { type Replies, SCRIPT } from './crash-script.ts';
import { realState } from './model/compare.ts';
import { checkInvariants } from './model/invariants.ts';

const FAULTS = [
  'the store refuses',
  'the process dies before the commit',
  'the process dies after the commit',
] as const;
type Fault = (typeof FAULTS)[number];

interface Plan {
  fault: Fault | undefined;
  at: number;
  /** Counted from the first step of the script on. */
  writes: number;
  onDeath(): void;
}

const planOf = (fault: Fault | undefined, at: number): Plan => ({
  fault,
  at,
  writes: Number.NEGATIVE_INFINITY,
  onDeath() {},
});

describe('a crash at any write', () => {
  it.each(FAULTS)(
    'ends with the same state and replies as without a crash when %s',
    async (fault) => {
      const reference = await play(planOf(undefined, 0));
      expect(reference.writes).toBeGreaterThan(SCRIPT.length);
      for (let at = 1; at <= reference.writes; at++) {
        const played = await play(planOf(fault, at));
        expect({ at, told: played.told }).toEqual({ at, told: reference.told });
      }
    },
    120_000,
  );
});

/** Plays the script, repeating the step in which the fault struck; says everything that was seen, ids made comparable. */
async function play(plan: Plan): Promise<{ told: string[]; writes: number }> {
  const open = await openGateway({ wrap: (store) => faulty(store, plan) });
  plan.writes = 0;
  const so: Replies = {};
  let struck = 0;
  try {
    for (const [name, act] of SCRIPT) {
      const key = { scope: `key of ${name}`, fingerprint: 'f' };
      const attempt = () => act(open, so, key) as Promise<Record<string, unknown>>;
      const reply = await orDeath(attempt, plan);
      if (reply === STRUCK) {
        struck += 1;
        if (plan.fault !== 'the store refuses') await comeBack(open, so);
        await checkInvariants(open);
      }
      so[name] = reply === STRUCK ? await attempt() : reply;
    }
    const writes = plan.writes;
    expect(struck).toBe(plan.fault === undefined ? 0 : 1);
    await checkInvariants(open);
    await repeatAll(open, so);
    const { asks, ...state } = await realState(open);
    return {
      told: comparable([...Object.entries(so), { ...state, asks: (asks as Shown[]).map(withoutHost) }]),
      writes,
    };
  } finally {
    await open.close();
  }
}

interface Shown {
  status: string;
  delivery: string;
}

/** An expired ask is due to whoever still hosts its run, and nobody's after a crash: that is no difference in outcome. */
const withoutHost = (ask: Shown): Shown => (ask.status === 'expired' ? { ...ask, delivery: 'due or given up' } : ask);

/** The built-in worker died with the server; when it is back it takes up the run it had. */
async function comeBack(open: OpenGateway, so: Replies): Promise<void> {
  await open.restart(['builtin']);
  if (so.claim) await SCRIPT.find(([name]) => name === 'claim')?.[1](open, so, { scope: '', fingerprint: '' });
}

/** Every key still stands for its first reply, and using it again changes nothing. */
async function repeatAll(open: OpenGateway, so: Replies): Promise<void> {
  const before = await open.gateway.lastSeq();
  for (const [name, act] of SCRIPT) {
    if (name === 'claim' || name === 'time passes') continue;
    const again = await act(open, so, { scope: `key of ${name}`, fingerprint: 'f' });
    expect([name, again]).toEqual([name, so[name]]);
  }
  expect(await open.gateway.lastSeq()).toBe(before);
}

const STRUCK = Symbol('the fault struck');

async function orDeath<T>(attempt: () => Promise<T>, plan: Plan): Promise<T | typeof STRUCK> {
  const death = new Promise<typeof STRUCK>((resolve) => {
    plan.onDeath = () => resolve(STRUCK);
  });
  return Promise.race([
    death,
    attempt().catch((error) => (error instanceof Injected ? STRUCK : Promise.reject(error))),
  ]);
}

class Injected extends Error {}

/** A process that has died does and says nothing more. */
function faulty(store: Store, plan: Plan): Store {
  let isDead = false;
  const never = new Promise<never>(() => {});
  const die = () => {
    isDead = true;
    plan.onDeath();
    return never;
  };
  return {
    reader: store.reader,
    read: (unit) => (isDead ? never : store.read(unit)),
    async write(unit) {
      if (isDead) return never;
      plan.writes += 1;
      if (plan.writes !== plan.at) return store.write(unit);
      if (plan.fault === 'the process dies before the commit') return die();
      if (plan.fault === 'the process dies after the commit') {
        await store.write(unit);
        return die();
      }
      return store.write(async (tx) => {
        await unit(tx);
        throw new Injected('the store refused');
      });
    },
    onCommit: (wake) => store.onCommit(wake),
    shown: (seq) => store.shown(seq),
    close: () => store.close(),
  };
}

/** Ids count on after a repetition; what matters is which id stands where. */
function comparable(seen: unknown[]): string[] {
  const names = new Map<string, string>();
  const rename = (found: string) => {
    const kind = found.slice(0, 3);
    const name = names.get(found) ?? `${kind} ${[...names.values()].filter((n) => n.startsWith(kind)).length + 1}`;
    names.set(found, name);
    return name;
  };
  return seen.map((value) => JSON.stringify(value).replace(/\b(?:run|ask|msg|itm|tok)_[0-9a-z_]+|secret \d+/g, rename));
}
