// Choosing what a run may do unasked: each setting with what the choice means, and a warning where nothing would be asked.
import { TriangleAlert } from 'lucide-react';
import { type Chosen, choiceOf, settingsFor } from '../state/run-settings.ts';

interface RunSettingsProps {
  agent: string;
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
}

export function RunSettings({ agent, chosen, onChoose }: RunSettingsProps) {
  return settingsFor(agent, chosen).map((setting) => {
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
          value={choice.value}
          aria-describedby={`run-${name}-means`}
          onChange={(event) => onChoose({ ...chosen, [name]: event.target.value })}
        >
          {choices.map((offered) => (
            <option key={offered.value} value={offered.value}>
              {offered.label}
            </option>
          ))}
        </select>
        <p id={`run-${name}-means`} className={choice.isOpen ? 'notice bad' : 'small muted'} aria-live="polite">
          {choice.isOpen && <TriangleAlert className="icon" />} {choice.means}
        </p>
      </div>
    );
  });
}
