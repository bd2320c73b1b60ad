// Reports the text of a search field after a pause in typing, so that a search runs once and not for every key.
import { useEffect, useRef, useState } from 'react';
import { useCommands } from '../hooks/commands.ts';
import { SearchBox } from './search-box.tsx';

const PAUSE_MS = 200;
const MAX_CHARACTERS = 500;

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
    const timer = setTimeout(() => latest.current(typed), PAUSE_MS);
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
    <SearchBox
      ref={field}
      label={label}
      placeholder={placeholder}
      maxLength={MAX_CHARACTERS}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
