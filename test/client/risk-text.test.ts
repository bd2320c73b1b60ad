// How signs of risk are ordered, and when a deadline counts.
import { expect, it } from 'vitest';
import { hasNoSigns, isMarked, riskRank, signsAt, toneOf } from '../../src/client/risk-text.ts';
import { RISKS, type RiskSign } from '../../src/core/risk.ts';

const sign = (risk: RiskSign['risk'], at_ms?: number): RiskSign => ({ risk, why: '', ...(at_ms && { at_ms }) });

it('ranks by the gravest sign before any number of lesser ones', () => {
  const ranks = RISKS.map((_, i) => riskRank({ risk: RISKS.slice(i).map((risk) => sign(risk)) }));
  expect(ranks).toEqual([...ranks].sort((a, b) => b - a));
  expect(riskRank({ risk: [sign('destructive')] })).toBeGreaterThan(ranks[1] ?? 0);
});

it('shows a deadline only when it is near', () => {
  const ask = { risk: [sign('network'), sign('deadline', 3_600_000)] };
  expect(signsAt(ask, 0).map(({ risk }) => risk)).toEqual(['network']);
  expect(signsAt(ask, 3_000_000).map(({ risk }) => risk)).toEqual(['network', 'deadline']);
});

it('calls an ask free of signs only when it was assessed', () => {
  expect(hasNoSigns({})).toBe(false);
  expect(hasNoSigns({ risk: [] })).toBe(true);
  expect(hasNoSigns({ risk: [sign('deadline', 1)] })).toBe(true);
  expect(hasNoSigns({ risk: [sign('unclear')] })).toBe(false);
});

it('invites to allow nothing that is marked, however loud', () => {
  expect(RISKS.filter((risk) => !isMarked(sign(risk)))).toEqual(['deadline']);
});

it('is loud about what cannot be undone or reaches out of the project', () => {
  expect(RISKS.filter((risk) => toneOf(sign(risk)) === 'bad')).toEqual([
    'destructive',
    'unknown_code',
    'production',
    'publishes',
    'credentials',
    'outside_folder',
    'hidden',
    'asked_again',
  ]);
});
