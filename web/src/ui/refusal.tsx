// What stands in the way of an answer, said where the answer is given; and whether what was typed is kept.
import { CloudCheck, CloudOff, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Draft } from '../hooks/draft.ts';
import type { Refused } from '../hooks/submission.ts';

interface RefusalProps {
  refused: Refused | undefined;
  isSlow?: boolean;
}

export function Refusal({ refused, isSlow = false }: RefusalProps) {
  return (
    <div role="alert">
      {isSlow && (
        <p className="notice">
          <CloudOff className="icon" /> The server has not answered yet. It is tried again; nothing is done twice.
        </p>
      )}
      {refused && (
        <p className={`notice ${refused.isLate ? '' : 'bad'}`}>
          <TriangleAlert className="icon" /> {refused.text}
        </p>
      )}
    </div>
  );
}

/** What stands here was sent before, and nobody knows whether it was taken. Says what sending it again does. */
export const NoReply = ({ children }: { children: ReactNode }) => (
  <p className="notice" role="status">
    <CloudOff className="icon" /> <span>No reply came when you sent this. {children}</span>
  </p>
);

export function SavedNote({ state }: { state: Draft['state'] }) {
  if (state === 'idle') return null;
  if (state === 'failed')
    return (
      <span className="saved end">
        <CloudOff className="icon" /> Draft only here
      </span>
    );
  return (
    <span className="saved end">
      {state === 'saved' ? (
        <>
          <CloudCheck className="icon" /> Draft saved
        </>
      ) : (
        'Saving…'
      )}
    </span>
  );
}
