// Says how much of a long action was on the screen, and leads to what was not. It is there from the start, so that nothing
// moves when there is more to say.
import { useReading } from '../hooks/sighting.ts';
import './reading-note.css';

export function ReadingNote({ askId, isRead }: { askId: string; isRead: boolean }) {
  const reading = useReading(askId);
  return (
    <p className="reading small muted">
      {isRead ? 'All of it was shown.' : `${reading?.percent ?? 0}% was shown.`}
      <button
        type="button"
        className="button quiet small"
        disabled={isRead || !reading}
        onClick={() => reading?.readOn()}
      >
        Go to the rest
      </button>
    </p>
  );
}
