// Draws the icon for how an ask ended: allowed or answered, denied, without a decision, or with one that came to nothing.
import { Ban, CircleAlert, CircleCheck, CircleX, Clock } from 'lucide-react';
import type { AskView } from '../../../src/core/views.ts';
import { isNotTaken } from '../text/ask-text.ts';

export function toneOf(ask: AskView): 'good' | 'bad' | 'warn' | 'ended' {
  if (ask.answer?.outcome !== 'answered') return 'ended';
  if (isNotTaken(ask)) return 'warn';
  return ask.answer.behavior === 'deny' ? 'bad' : 'good';
}

const ICONS = { good: CircleCheck, bad: CircleX, warn: CircleAlert, ended: Ban };

export function ToneIcon({ ask }: { ask: AskView }) {
  if (!ask.answer) return null;
  const tone = toneOf(ask);
  const Icon = ask.answer.outcome === 'expired' ? Clock : ICONS[tone];
  return <Icon className={`icon ${tone}`} />;
}
