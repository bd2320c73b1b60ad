// Says whether the draft is saved on the server. Takes its place before anything is typed, so that nothing moves when it is.
import { CloudCheck, CloudOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Draft } from '../hooks/draft.ts';
import { useInbox } from '../hooks/live-inbox.ts';
import './saved-note.css';

/** Saving takes a moment; after that long the server was not reached. The list notices that later, where the network is gone. */
const SLOW_MS = 2500;

export function SavedNote({ state }: { state: Draft['state'] }) {
  const isAway = useInbox().link === 'lost';
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (state !== 'unsaved') return;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const isLate = state === 'unsaved' && (isAway || isSlow);
  return <span className="saved end">{isLate ? 'Not saved yet' : NOTES[state]}</span>;
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
