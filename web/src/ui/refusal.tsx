// What stands in the way of an answer, said where the answer is given; and whether what was typed is kept.
import { CloudCheck, CloudOff, TriangleAlert } from 'lucide-react';
import type { Draft } from '../state/draft.ts';
import type { Refused } from '../state/sending.ts';

export function Refusal({ refused }: { refused: Refused | undefined }) {
  return (
    <div role="alert">
      {refused && (
        <p className={`notice ${refused.isLate ? '' : 'bad'}`}>
          <TriangleAlert className="icon" /> {refused.text}
        </p>
      )}
    </div>
  );
}

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
