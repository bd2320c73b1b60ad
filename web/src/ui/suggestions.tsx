// Offers what the agent suggests to allow beyond the call itself. Each suggestion is shown in full and to the letter beside
// the button that takes it.
import { ShieldCheck } from 'lucide-react';
import { suggestionOf } from '../state/suggestion.ts';
import { Exact } from './text.tsx';
import './suggestions.css';

interface SuggestionsProps {
  askId: string;
  suggestions: readonly unknown[];
  isDisabled: boolean;
  onTake: (id: string) => void;
}

export function Suggestions({ askId, suggestions, isDisabled, onTake }: SuggestionsProps) {
  const valid = suggestions.flatMap(suggestionOf);
  if (valid.length === 0) return null;
  const idOf = (id: string) => `suggestion-${askId}-${id}`;
  return (
    <div className="suggestions">
      <h3>Rule in the agent</h3>
      <p className="small muted">
        Suggested by the agent: it saves the rule in its own settings and stops asking. Holdpoint can neither list nor
        revoke such a rule.
      </p>
      {valid.map(({ id, label, grants }) => (
        <div key={id} className="suggestion">
          <div className="suggestion-text">
            <p id={idOf(id)}>
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
            id={`${idOf(id)}-take`}
            aria-labelledby={`${idOf(id)}-take ${idOf(id)}`}
            className="button"
            disabled={isDisabled}
            onClick={() => onTake(id)}
          >
            <ShieldCheck className="icon" /> Allow and add agent rule
          </button>
        </div>
      ))}
    </div>
  );
}
