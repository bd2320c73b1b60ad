// Draws a row of buttons of which exactly one is pressed. Owns no state: the page keeps the chosen value.
import './filters.css';

interface FiltersProps<T> {
  /** Names the row for screen readers. */
  label: string;
  choices: readonly (readonly [label: string, value: T])[];
  value: T;
  onChoose: (value: T) => void;
}

export const Filters = <T,>({ label, choices, value, onChoose }: FiltersProps<T>) => (
  <fieldset className="filters" aria-label={label}>
    {choices.map(([text, choice]) => (
      <button key={text} type="button" aria-pressed={choice === value} onClick={() => onChoose(choice)}>
        {text}
      </button>
    ))}
  </fieldset>
);
