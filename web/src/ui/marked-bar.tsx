// Draws what can be done to several selected requests. Decides nothing: "Review together" opens a card that shows each.
import { AlarmClock, Hand, Layers } from 'lucide-react';
import { useState } from 'react';
import { snoozeChoices } from '../state/snooze.ts';
import './triage-bar.css';

interface MarkedBarProps {
  count: number;
  onTogether: (() => void) | undefined;
  onTake: () => void;
  onSnooze: (untilMs: number) => void;
  onClear: () => void;
}

export default function MarkedBar({ count, onTogether, onTake, onSnooze, onClear }: MarkedBarProps) {
  const [isSnoozing, setSnoozing] = useState(false);
  return (
    <fieldset className="marked-bar" aria-label={`${count} selected`}>
      <span className="small">{count} selected</span>
      {onTogether && (
        <button type="button" className="button small" onClick={onTogether}>
          <Layers className="icon" /> Review together
        </button>
      )}
      <button type="button" className="button small" onClick={onTake}>
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
            <button key={label} type="button" className="button quiet small" onClick={() => onSnooze(until)}>
              {label}
            </button>
          ))}
        </span>
      )}
    </fieldset>
  );
}
