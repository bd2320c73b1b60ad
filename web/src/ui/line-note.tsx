// Draws the field for a note on a line of a change. The note is added to the reason of a denial; it is not sent from here.
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import type { DiffLine } from '../text/diff-lines.ts';
import { focus, submitKeys } from './reason-field.tsx';
import { Exact } from './text.tsx';
import './line-note.css';

interface LineNoteProps {
  place: string;
  lines: readonly DiffLine[];
  line: DiffLine;
  onLine: (line: DiffLine) => void;
  onAdd: (place: string, note: string) => void;
  onCancel: () => void;
}

export function LineNote({ place, lines, line, onLine, onAdd, onCancel }: LineNoteProps) {
  const [note, setNote] = useState('');
  const id = useId();
  const at = lines.indexOf(line);
  const add = () => {
    if (note.trim() !== '') onAdd(place, note);
  };
  const move = (by: number) => {
    const next = lines[at + by];
    if (next) onLine(next);
  };
  const keys = (event: KeyboardEvent) => {
    submitKeys(add)(event);
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onCancel();
  };
  return (
    <div className="line-note">
      <label className="label" htmlFor={id}>
        Note on <Exact text={place} />
      </label>
      <textarea
        id={id}
        ref={focus}
        className="field"
        rows={2}
        value={note}
        onChange={(event) => setNote(event.target.value)}
        onKeyDown={keys}
      />
      <div className="buttons">
        <button type="button" className="button" disabled={note.trim() === ''} onClick={add}>
          Add to the denial reason
        </button>
        <button type="button" className="button quiet" onClick={onCancel}>
          Cancel
        </button>
        <span className="end">
          <button
            type="button"
            className="button quiet small"
            aria-label="Line above"
            disabled={at <= 0}
            onClick={() => move(-1)}
          >
            <ArrowUp className="icon" />
          </button>
          <button
            type="button"
            className="button quiet small"
            aria-label="Line below"
            disabled={at >= lines.length - 1}
            onClick={() => move(1)}
          >
            <ArrowDown className="icon" />
          </button>
        </span>
      </div>
    </div>
  );
}
