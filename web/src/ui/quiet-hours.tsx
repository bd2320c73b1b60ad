// Sets the person's quiet hours, in the time zone of this browser.
import { useState } from 'react';
import type { QuietHours } from '../../../src/core/quiet-hours.ts';
import { api } from '../api.ts';
import { toast } from '../hooks/toasts.ts';
import { failureText } from '../text/failure.ts';

const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function QuietHoursField({ hours, onSaved }: { hours: QuietHours | undefined; onSaved: () => void }) {
  const [from, setFrom] = useState(hours?.from ?? '22:00');
  const [to, setTo] = useState(hours?.to ?? '07:00');
  const save = async (wanted: QuietHours | undefined) => {
    try {
      await api.notices.setQuietHours(wanted);
      toast(wanted ? `Quiet from ${wanted.from} to ${wanted.to}, except for what is urgent.` : 'No quiet hours.');
      onSaved();
    } catch (error) {
      toast(failureText(error), 'warn');
    }
  };
  return (
    <section className="notify-section" aria-label="Quiet hours">
      <h2>Quiet hours</h2>
      <div className="notify-row">
        <label>
          From <input type="time" value={from} onChange={({ target }) => setFrom(target.value)} />
        </label>
        <label>
          to <input type="time" value={to} onChange={({ target }) => setTo(target.value)} />
        </label>
        <button type="button" className="button" onClick={() => void save({ from, to, time_zone: zone() })}>
          Save
        </button>
        {hours && (
          <button type="button" className="button" onClick={() => void save(undefined)}>
            None
          </button>
        )}
        <span className="small muted">
          {hours ? `Now ${hours.from} to ${hours.to}, ${hours.time_zone}. ` : 'None now. '}Urgent requests still notify
          you.
        </span>
      </div>
    </section>
  );
}
