// Draws what can be done to several selected requests. Decides nothing: "Review together" opens a card that shows each.
import { AlarmClock, Hand, Layers } from 'lucide-react';
import { useState } from 'react';
import type { AskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { toast } from '../hooks/toasts.ts';
import { snoozeChoices } from '../state/snooze.ts';
import { failureText } from '../text/failure.ts';
import './triage-bar.css';

interface MarkedBarProps {
  asks: readonly AskView[];
  onTogether: (() => void) | undefined;
  onClear: () => void;
}

export default function MarkedBar({ asks, onTogether, onClear }: MarkedBarProps) {
  const count = asks.length;
  const forAll = (call: (askId: string) => Promise<unknown>) => {
    onClear();
    for (const { ask_id } of asks) call(ask_id).catch((error: unknown) => toast(failureText(error), 'warn'));
  };
  const [isSnoozing, setSnoozing] = useState(false);
  return (
    <fieldset className="marked-bar" aria-label={`${count} selected`}>
      <span className="small">{count} selected</span>
      {onTogether && (
        <button type="button" className="button small" onClick={onTogether}>
          <Layers className="icon" /> Review together
        </button>
      )}
      <button type="button" className="button small" onClick={() => forAll(api.asks.take)}>
        <Hand className="icon" /> I’m on it
      </button>
      <button
        type="button"
        className="button small"
        aria-expanded={isSnoozing}
        onClick={() => setSnoozing(!isSnoozing)}
      >
        <AlarmClock className="icon" /> Snooze
      </button>
      <button type="button" className="button quiet small" onClick={onClear}>
        Clear
      </button>
      {isSnoozing && (
        <span className="saved-views">
          {snoozeChoices(new Date()).map(([label, until]) => (
            <button
              key={label}
              type="button"
              className="button quiet small"
              onClick={() => forAll((askId) => api.asks.snooze(askId, until))}
            >
              {label}
            </button>
          ))}
        </span>
      )}
    </fieldset>
  );
}
