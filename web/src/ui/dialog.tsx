// Opens a modal dialog with the browser's own element, which traps the focus and closes on Escape.
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import './dialog.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    if (!shown || shown.open) return;
    shown.showModal();
    // A field where there is one: what is typed next must not press a button. A switch is none, and may be out of view.
    const field = shown.querySelector<HTMLElement>('.dialog-body :is(input:not([type=checkbox]), textarea)');
    (field ?? shown.querySelector<HTMLElement>('.dialog-body button'))?.focus();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <div className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="button quiet small" onClick={onClose} aria-label="Close">
          <X className="icon" />
        </button>
      </div>
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}
