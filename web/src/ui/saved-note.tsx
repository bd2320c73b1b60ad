// Says whether the draft is saved on the server. Takes its place before anything is typed, so that nothing moves when it is.
import { CloudCheck, CloudOff } from 'lucide-react';
import type { Draft } from '../hooks/draft.ts';
import './saved-note.css';

export const SavedNote = ({ state }: { state: Draft['state'] }) => <span className="saved end">{NOTES[state]}</span>;

const NOTES = {
  idle: null,
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
