// Says whether the draft is saved on the server.
import { CloudCheck, CloudOff } from 'lucide-react';
import type { Draft } from '../hooks/draft.ts';
import './saved-note.css';

export function SavedNote({ state }: { state: Draft['state'] }) {
  if (state === 'idle') return null;
  return <span className="saved end">{NOTES[state]}</span>;
}

const NOTES = {
  unsaved: 'Saving…',
  saved: (
    <>
      <CloudCheck className="icon" /> Draft saved
    </>
  ),
  failed: (
    <>
      <CloudOff className="icon" /> Draft only here
    </>
  ),
} as const;
