// A button for what cannot be taken back: the first press asks, the second does it. What goes wrong is said.
import { type ReactNode, useState } from 'react';
import { failureText } from '../text/failure.ts';
import { toast } from './toasts.tsx';

interface ConfirmButtonProps {
  className: string;
  /** Said on the second press. */
  really: string;
  act: () => Promise<unknown>;
  children: ReactNode;
}

export function ConfirmButton({ className, really, act, children }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const press = async () => {
    if (!isAsking) return setAsking(true);
    setAsking(false);
    await act().catch((error: unknown) => toast(failureText(error), 'warn'));
  };
  return (
    <button type="button" className={className} onClick={press} onBlur={() => setAsking(false)}>
      {isAsking ? really : children}
    </button>
  );
}
