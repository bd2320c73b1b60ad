// Draws how the inbox is sorted and grouped, and the saved views.
import { Bookmark, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { GROUPINGS, type Grouping, SORTS, type Sort } from '../../../src/client/triage.ts';
import { prefer, usePreferences } from '../hooks/preferences.ts';
import { type Triage, triageSearch } from '../state/triage-address.ts';
import { QueryNote } from './query-note.tsx';
import './triage-bar.css';

const SORT_LABELS: Record<Sort, string> = { oldest: 'Oldest', newest: 'Newest', deadline: 'Deadline', risk: 'Risk' };
const GROUP_LABELS: Record<Grouping, string> = {
  none: 'No groups',
  session: 'By session',
  project: 'By project',
  agent: 'By agent',
};

const MOST_VIEWS = 20;

interface TriageBarProps {
  triage: Triage;
  onChange: (part: Partial<Triage>) => void;
}

export default function TriageBar({ triage, onChange }: TriageBarProps) {
  const { views } = usePreferences();
  const [name, setName] = useState<string>();
  const search = triageSearch(triage);
  const isSaved = views.some((view) => view.search === search);
  const without = (forgotten: string) => views.filter((view) => view.name !== forgotten);
  const save = () => {
    const view = { name: name?.trim() ?? '', search };
    // One of the same name is replaced.
    if (view.name !== '') prefer({ views: [...without(view.name), view].slice(-MOST_VIEWS) });
    setName(undefined);
  };
  return (
    <div className="triage-bar">
      <select
        className="field small"
        aria-label="Sort by"
        value={triage.sort}
        onChange={(event) => onChange({ sort: event.target.value as Sort })}
      >
        {SORTS.map((sort) => (
          <option key={sort} value={sort}>
            {SORT_LABELS[sort]}
          </option>
        ))}
      </select>
      <select
        className="field small"
        aria-label="Group"
        value={triage.group}
        onChange={(event) => onChange({ group: event.target.value as Grouping })}
      >
        {GROUPINGS.map((group) => (
          <option key={group} value={group}>
            {GROUP_LABELS[group]}
          </option>
        ))}
      </select>
      {search !== '' && !isSaved && name === undefined && (
        <button type="button" className="button quiet small" onClick={() => setName(triage.q)}>
          <Bookmark className="icon" /> Save view
        </button>
      )}
      {name !== undefined && (
        <form
          className="save-view"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <input
            className="field small"
            aria-label="Name of the view"
            maxLength={60}
            // biome-ignore lint/a11y/noAutofocus: the person has just opened it
            autoFocus
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <button type="submit" className="button small">
            Save
          </button>
        </form>
      )}
      {views.length > 0 && (
        <nav className="saved-views" aria-label="Saved views">
          {views.map((view) => (
            <span key={view.name} className="chip">
              <Link href={`/${view.search}`} aria-current={view.search === search ? 'page' : undefined}>
                {view.name}
              </Link>
              {view.search === search && (
                <button
                  type="button"
                  aria-label={`Forget ${view.name}`}
                  onClick={() => prefer({ views: without(view.name) })}
                >
                  <X className="icon" />
                </button>
              )}
            </span>
          ))}
        </nav>
      )}
      <QueryNote query={triage.q} />
    </div>
  );
}
