// Short sentences about what just happened: seen for a moment at the foot of the page, and read out by screen readers.
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useSyncExternalStore } from 'react';

interface Toast {
  id: number;
  text: string;
  tone: 'good' | 'warn';
}

const SHOWN_MS = 5000;
const MOST = 3;
let toasts: readonly Toast[] = [];
let announced = '';
let count = 0;
const listeners = new Set<() => void>();
const tell = (): void => {
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function toast(text: string, tone: Toast['tone'] = 'good'): void {
  count += 1;
  const shown = { id: count, text, tone };
  toasts = [...toasts.slice(1 - MOST), shown];
  setTimeout(() => {
    toasts = toasts.filter(({ id }) => id !== shown.id);
    tell();
  }, SHOWN_MS);
  tell();
}

/** For ears only. */
export function announce(text: string): void {
  announced = text;
  tell();
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const said = useSyncExternalStore(subscribe, () => announced);
  return (
    <>
      <div className="toasts" role="status">
        {shown.map(({ id, text, tone }) => (
          <p key={id} className={`toast ${tone}`}>
            {tone === 'good' ? <CircleCheck className="icon" /> : <CircleAlert className="icon" />}
            <span>{text}</span>
          </p>
        ))}
      </div>
      <p className="visually-hidden" aria-live="polite">
        {said}
      </p>
    </>
  );
}
