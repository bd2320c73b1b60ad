// Shows a warning until the person dismisses it.
import { TriangleAlert } from 'lucide-react';
import './dismissible-notice.css';

interface DismissibleNoticeProps {
  text: string;
  onDismiss: () => void;
}

export const DismissibleNotice = ({ text, onDismiss }: DismissibleNoticeProps) => (
  <div className="notice dismissible" role="alert">
    <TriangleAlert className="icon" />
    <span>{text}</span>
    <button type="button" className="button small" onClick={onDismiss}>
      Got it
    </button>
  </div>
);
