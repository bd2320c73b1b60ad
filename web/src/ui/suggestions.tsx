// What may be allowed beyond the call itself, as the agent suggests it: each in full beside the button that takes it, in the
// agent's words and to the letter, so that nobody grants what they have not read.
import { ShieldCheck } from 'lucide-react';
import { Exact } from './text.tsx';

interface SuggestionsProps {
  askId: string;
  suggestions: readonly unknown[];
  isDisabled: boolean;
  onTake: (id: string) => void;
}

export function Suggestions({ askId, suggestions, isDisabled, onTake }: SuggestionsProps) {
  const offered = suggestions.flatMap(suggestionOf);
  if (offered.length === 0) return null;
  const nameOf = (id: string) => `suggestion-${askId}-${id}`;
  return (
    <section className="suggestions" aria-label="Allow it and more">
      <h3>Allow it and more</h3>
      {offered.map(({ id, label, grants }) => (
        <div key={id} className="suggestion">
          <div className="suggestion-text">
            <p id={nameOf(id)}>
              <Exact text={label} />
            </p>
            {grants !== undefined && (
              <code>
                <Exact text={grants} />
              </code>
            )}
          </div>
          <button
            type="button"
            id={`${nameOf(id)}-take`}
            aria-labelledby={`${nameOf(id)}-take ${nameOf(id)}`}
            className="button"
            disabled={isDisabled}
            onClick={() => onTake(id)}
          >
            <ShieldCheck className="icon" /> Allow with this
          </button>
        </div>
      ))}
    </section>
  );
}

interface Offered {
  id: string;
  label: string;
  /** What it adds, as the agent has it, where it says so. */
  grants: string | undefined;
}

/** Only what has an id can be taken. */
function suggestionOf(suggestion: unknown): Offered[] {
  const { id, label, ...rest } = Object(suggestion) as { id?: unknown; label?: unknown };
  if (typeof id !== 'string') return [];
  const grants = Object.keys(rest).length > 0 ? JSON.stringify(rest) : undefined;
  return [{ id, label: typeof label === 'string' && label.trim() !== '' ? label : id, grants }];
}
