// Draws the toasts, and passes announcements to screen readers. hooks/toasts.ts owns them.
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { dismissToast, useAnnouncement, useToasts } from '../hooks/toasts.ts';
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
            <button type="button" className="toast-close" aria-label="Dismiss" onClick={() => dismissToast(id)}>
              <X className="icon" />
            </button>
          </p>
        ))}
      </div>
      <p className="visually-hidden" aria-live="polite">
        {announcement}
      </p>
    </>
  );
}
