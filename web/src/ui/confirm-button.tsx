// Confirms an action that cannot be undone: the first press asks, the second acts, unless it follows so soon that the
// question cannot have been read. An error is shown as a toast.
import { type ReactNode, useState } from 'react';
import { accident, movedByItself } from '../hooks/gesture.ts';
import { toast } from '../hooks/toasts.ts';
import { failureText } from '../text/failure.ts';

interface ConfirmButtonProps {
  className: string;
  /** The button's text after the first press. */
  question: string;
  act: () => Promise<unknown>;
  children: ReactNode;
}

export function ConfirmButton({ className, question, act, children }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const press = async () => {
    if (!isAsking) {
      movedByItself();
      return setAsking(true);
    }
    if (accident() !== undefined) return;
    setAsking(false);
    await act().catch((error: unknown) => toast(failureText(error), 'warn'));
  };
  return (
    <button type="button" className={className} onClick={press} onBlur={() => setAsking(false)}>
      {isAsking ? question : children}
    </button>
  );
}
