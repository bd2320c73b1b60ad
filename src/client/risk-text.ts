// Names the signs of risk of an ask for people, says how loud each is, and orders asks by them. Pure, and the same on the
// page, at the terminal and in notices. core/risk.ts finds the signs.
import type { RiskSign } from '../core/risk.ts';
import type { AskView } from '../core/views.ts';

/** For surfaces, which do not repeat in the reason what the sign says. */
export { askedAgainWhy, isAskedAgain } from '../core/asked-again.ts';

export const RISK_LABELS: Record<RiskSign['risk'], string> = {
  destructive: 'Destructive',
  unknown_code: 'Runs unknown code',
  production: 'Production',
  publishes: 'Publishes',
  credentials: 'Credentials',
  outside_folder: 'Outside the folder',
  hidden: 'Hidden characters',
  asked_again: 'Asked again',
  deletes: 'Deletes files',
  replaces: 'Replaces a file',
  network: 'Network',
  unclear: 'Not fully readable',
  deadline: 'Deadline',
};

/** What is left to be noticed at this moment: a deadline only when it is near. */
export function signsAt({ risk = [] }: Pick<AskView, 'risk'>, nowMs: number): readonly RiskSign[] {
  const isDue = ({ at_ms }: RiskSign) => at_ms === undefined || at_ms - nowMs <= NEAR_MS;
  return risk.every(isDue) ? risk : risk.filter(isDue);
}

/** From here on a deadline is something to notice. */
export const NEAR_MS = 15 * 60_000;

/** `bad` for what is hard to undo or reaches further than the project, `warn` for what should be known. */
export const toneOf = ({ risk }: RiskSign): 'bad' | 'warn' => (LOUD.has(risk) ? 'bad' : 'warn');
const LOUD = new Set<RiskSign['risk']>([
  'destructive',
  'unknown_code',
  'production',
  'publishes',
  'credentials',
  'outside_folder',
  'hidden',
  'asked_again',
]);

/** It is marked on every surface, so that nothing on one invites to allow it. A deadline is no risk of the action. */
export const isMarked = ({ risk }: RiskSign): boolean => risk !== 'deadline';

const WEIGHTS: Record<RiskSign['risk'], number> = {
  destructive: 2048,
  unknown_code: 1024,
  production: 512,
  publishes: 256,
  credentials: 128,
  outside_folder: 64,
  hidden: 32,
  asked_again: 16,
  deletes: 8,
  replaces: 4,
  network: 2,
  unclear: 1,
  deadline: 0,
};

/** A higher one comes first: the gravest sign decides, the others break ties. */
export const riskRank = ({ risk = [] }: Pick<AskView, 'risk'>): number =>
  risk.reduce((sum, sign) => sum + WEIGHTS[sign.risk], 0);

/** Nothing but a deadline was recognised. An ask that was not assessed yet is not called free of signs. */
export const hasNoSigns = ({ risk }: Pick<AskView, 'risk'>): boolean => risk?.every((sign) => !isMarked(sign)) ?? false;
