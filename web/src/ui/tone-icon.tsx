// Draws the icon for how an ask ended: allowed or answered, denied, or without a decision.
import { Ban, CircleCheck, CircleX, Clock } from 'lucide-react';
import type { AskView } from '../../../src/core/views.ts';

export function toneOf(answer: NonNullable<AskView['answer']>): 'good' | 'bad' | 'ended' {
  if (answer.outcome !== 'answered') return 'ended';
  return answer.behavior === 'deny' ? 'bad' : 'good';
}

export function ToneIcon({ ask }: { ask: AskView }) {
  const { answer } = ask;
  if (!answer) return null;
  const tone = toneOf(answer);
  if (answer.outcome === 'expired') return <Clock className={`icon ${tone}`} />;
  if (tone === 'ended') return <Ban className={`icon ${tone}`} />;
  return tone === 'good' ? <CircleCheck className={`icon ${tone}`} /> : <CircleX className={`icon ${tone}`} />;
}
