// Says whether the draft is saved on the server. Takes its place before anything is typed, so that nothing moves when it is.
import { CloudCheck, CloudOff } from 'lucide-react';
import type { Draft } from '../hooks/draft.ts';
import { useInbox } from '../hooks/live-inbox.ts';
import './saved-note.css';

export function SavedNote({ state }: { state: Draft['state'] }) {
  const isAway = useInbox().link === 'lost';
  return <span className="saved end">{state === 'unsaved' && isAway ? 'Not saved yet' : NOTES[state]}</span>;
}

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
