// Draws the toasts, and passes announcements to screen readers. hooks/toasts.ts owns them.
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useAnnouncement, useToasts } from '../hooks/toasts.ts';
import './toasts.css';

export function Toasts() {
  const toasts = useToasts();
  const announcement = useAnnouncement();
  return (
    <>
      <div className="toasts" role="status">
        {toasts.map(({ id, text, tone }) => (
          <p key={id} className={`toast ${tone}`}>
            {tone === 'good' ? <CircleCheck className="icon" /> : <CircleAlert className="icon" />}
            <span>{text}</span>
          </p>
        ))}
      </div>
      <p className="visually-hidden" aria-live="polite">
        {announcement}
      </p>
    </>
  );
}
