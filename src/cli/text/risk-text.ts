// Renders the signs of risk of a pending ask: a paragraph of all of them for an ask in full, the gravest for a row of a list. Pure. The
// words and tones are those of every surface; a deadline is a countdown of its own.
import { RISK_LABELS, signsAt, toneOf } from '../../client/risk-text.ts';
import type { RiskSign } from '../../core/risk.ts';
import type { AskView } from '../../core/views.ts';
import { wrap } from './layout.ts';
import { type Line, line, span } from './spans.ts';
import { oneLine } from './terminal-text.ts';

type Assessed = Pick<AskView, 'risk' | 'status'>;

const shownSigns = (ask: Assessed, nowMs: number): readonly RiskSign[] =>
  ask.status === 'pending' ? signsAt(ask, nowMs).filter(({ risk }) => risk !== 'deadline') : [];

/** What to notice before deciding: `Destructive: rm deletes files · Network: …`. Empty where no sign was found. */
export function riskLines(ask: Assessed, width: number, nowMs: number): Line[] {
  const spans = shownSigns(ask, nowMs).flatMap((sign, i) => [
    span(`${i > 0 ? ' · ' : ''}${RISK_LABELS[sign.risk]}`, toneOf(sign)),
    span(`: ${oneLine(sign.why)}`, 'dim'),
  ]);
  return spans.length === 0 ? [] : wrap(line(...spans), width, 2);
}

/** `Destructive +2`, in the tone of the gravest. */
export function riskMark(ask: Assessed, nowMs: number): Line {
  const [gravest, ...others] = shownSigns(ask, nowMs);
  if (!gravest) return [];
  const more = others.length > 0 ? ` +${others.length}` : '';
  return line(span(`${RISK_LABELS[gravest.risk]}${more}`, toneOf(gravest)));
}
