// Draws the toasts, handles the key that undoes, and passes announcements to screen readers. hooks/toasts.ts owns them.
import { CircleAlert, CircleCheck, CircleX, Clock, X } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useNow } from '../hooks/clock.ts';
import { useCommands } from '../hooks/commands.ts';
import { dismissToast, useAnnouncement, useToasts } from '../hooks/toasts.ts';
import { undoLast } from '../hooks/undo.ts';
import { Key } from './key.tsx';
import { Exact } from './text.tsx';
import './toasts.css';

const icons = {
  good: <CircleCheck className="icon" />,
  plain: <CircleX className="icon" />,
  wait: <Clock className="icon" />,
  warn: <CircleAlert className="icon" />,
};

/** Not read out: it changes every second. */
function TimeLeft({ untilMs, ofMs }: { untilMs: number; ofMs: number }) {
  const seconds = Math.ceil(Math.min(ofMs, untilMs - useNow()) / 1000);
  return <span className="time-left" aria-hidden="true">{`${Math.max(1, seconds)} s`}</span>;
}

export default function Toasts() {
  const toasts = useToasts();
  const announcement = useAnnouncement();
  const box = useRef<HTMLDivElement>(null);
  useCommands({ undo: undoLast });
  // The list ends above them, so that they cover no row.
  useLayoutEffect(() => {
    const room =
      toasts.length > 0
        ? `calc(${Math.ceil(box.current?.getBoundingClientRect().height ?? 0)}px + var(--space-7))`
        : '0px';
    document.documentElement.style.setProperty('--toasts-room', room);
  }, [toasts]);
  return (
    <>
      <div className="toasts" role="status" ref={box}>
        {toasts.map(({ id, text, tone, action, untilMs, link }) => (
          <p key={id} className={`toast ${tone}`}>
            {icons[tone]}
            <span>
              <Exact text={text} />
            </span>
            {action && (
              <button type="button" className="toast-action" onClick={action.run}>
                {action.label} {untilMs !== undefined && <TimeLeft untilMs={untilMs} ofMs={action.shownMs} />}
                <Key>{action.key}</Key>
              </button>
            )}
            {link && (
              <Link href={link.href} className="toast-action" onClick={() => dismissToast(id)}>
                {link.label}
              </Link>
            )}
            <button type="button" className="toast-close" aria-label="Dismiss" onClick={() => dismissToast(id)}>
              <X className="icon" />
            </button>
          </p>
        ))}
      </div>
      <p className="announcement visually-hidden" aria-live="polite">
        {announcement}
      </p>
    </>
  );
}
