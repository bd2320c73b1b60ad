// Says how much of what would be allowed was on the screen, and leads to what was not. Once it is there it stays, so that
// nothing moves when all was shown.
import './reading-note.css';

interface ReadingNoteProps {
  text: string;
  isRead: boolean;
  /** Undefined while the rest is not there to be led to. */
  onRest: (() => void) | undefined;
}

export const ReadingNote = ({ text, isRead, onRest }: ReadingNoteProps) => (
  <p className="reading small muted">
    {text}
    <button type="button" className="button quiet small" disabled={isRead || !onRest} onClick={onRest}>
      Go to the rest
    </button>
  </p>
);
