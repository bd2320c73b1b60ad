// The search of a page that looks things up: what is typed is shown at once and searched for a moment later.
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useCommands } from '../hooks/commands.ts';
import { Key } from './key.tsx';

const TYPING_MS = 200;
const MOST_CHARACTERS = 500;

interface SearchFieldProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (q: string) => void;
}

export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => latest.current(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  useCommands({
    search: () => field.current?.focus(),
    back: () => {
      setTyped('');
      field.current?.blur();
    },
  });
  return (
    <div className="search">
      <Search className="icon" />
      <input
        ref={field}
        type="search"
        className="field"
        placeholder={placeholder}
        aria-label={label}
        maxLength={MOST_CHARACTERS}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Key>/</Key>
    </div>
  );
}
