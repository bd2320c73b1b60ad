// Shows who is on a pending request and until when it is snoozed, and lets a person say so. Everyone sees it; it decides
// nothing and keeps nobody from answering.
import { AlarmClock, Hand } from 'lucide-react';
import { useState } from 'react';
import type { AskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useCommands } from '../hooks/commands.ts';
import { useMayAnswer, useMe } from '../hooks/me.ts';
import { toast } from '../hooks/toasts.ts';
import { snoozeChoices, untilText } from '../state/snooze.ts';
import { failureText } from '../text/failure.ts';
import { oneLine } from '../text/visible.ts';
import './ask-marks.css';

/** Reports a refusal; the change itself arrives with the stream. */
const tell = (call: Promise<unknown>): void => {
  call.catch((error: unknown) => toast(failureText(error), 'warn'));
};

export function AskMarks({ ask, hasKeys }: { ask: AskView; hasKeys: boolean }) {
  const me = useMe()?.name;
  const mayAnswer = useMayAnswer() && ask.status === 'pending';
  const [isChoosing, setChoosing] = useState(false);
  const { taken_by, snoozed, ask_id } = ask;
  const isMine = taken_by !== undefined && taken_by.by === me;
  const take = () => tell(isMine ? api.asks.release(ask_id) : api.asks.take(ask_id));
  const isSnoozed = snoozed !== undefined && snoozed.until_ms > Date.now();
  const snooze = (until: number | null) => {
    setChoosing(false);
    tell(api.asks.snooze(ask_id, until));
  };
  const toggle = () => (isSnoozed ? snooze(null) : setChoosing(!isChoosing));
  useCommands(
    hasKeys && mayAnswer ? { take, snooze: toggle, ...(isChoosing && { back: () => setChoosing(false) }) } : {},
  );
  if (!mayAnswer && !taken_by && !isSnoozed) return null;
  return (
    <div className="ask-marks">
      {taken_by && !isMine && <span className="chip">{oneLine(taken_by.by)} is on it</span>}
      {mayAnswer && (
        <button type="button" className="button quiet small" aria-pressed={isMine} onClick={take}>
          <Hand className="icon" /> I’m on it
        </button>
      )}
      {mayAnswer && (
        <button
          type="button"
          className="button quiet small"
          aria-pressed={isSnoozed}
          aria-expanded={isSnoozed ? undefined : isChoosing}
          onClick={toggle}
        >
          <AlarmClock className="icon" /> {isSnoozed ? `Snoozed until ${untilText(snoozed.until_ms)}` : 'Snooze'}
        </button>
      )}
      {isChoosing && (
        <fieldset
          ref={(shown) => shown?.querySelector('button')?.focus()}
          className="snooze-choices"
          aria-label="Snooze for everyone until"
        >
          {snoozeChoices(new Date()).map(([label, until]) => (
            <button key={label} type="button" className="button small" onClick={() => snooze(until)}>
              {label}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}
