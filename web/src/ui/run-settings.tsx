// Offers the settings of a run: each with what its choice means, and a warning where the agent would act unasked.
import { TriangleAlert } from 'lucide-react';
import type { Setting } from '../../../src/core/agent-description.ts';
import { type Chosen, choiceOf, shownSettings } from '../state/run-settings.ts';

interface RunSettingsProps {
  settings: readonly Setting[];
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
}

export function RunSettings({ settings, chosen, onChoose }: RunSettingsProps) {
  return shownSettings(settings, chosen).map((setting) => {
    const { name, label, choices } = setting;
    const choice = choiceOf(setting, chosen);
    return (
      <div key={name}>
        <label className="label" htmlFor={`run-${name}`}>
          {label}
        </label>
        <select
          id={`run-${name}`}
          className="field"
          value={choice?.value}
          aria-describedby={`run-${name}-means`}
          onChange={(event) => onChoose({ ...chosen, [name]: event.target.value })}
        >
          {choices.map((offered) => (
            <option key={offered.value} value={offered.value}>
              {offered.label}
            </option>
          ))}
        </select>
        <p id={`run-${name}-means`} className={choice?.is_open ? 'notice bad' : 'small muted'} aria-live="polite">
          {choice?.is_open && <TriangleAlert className="icon" />} {choice?.means}
        </p>
      </div>
    );
  });
}
