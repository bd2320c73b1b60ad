// Draws the text field for why something is denied or declined, among the actions of a card.
import type { KeyboardEvent, ReactNode } from 'react';

interface ReasonFieldProps {
  id: string;
  label: ReactNode;
  value: string;
  placeholder?: string;
  hasFocus: boolean;
  isReadOnly?: boolean;
  onChange: (reason: string) => void;
  /** On Ctrl+Enter. */
  onSubmit?: () => void;
}

export const ReasonField = ({
  id,
  label,
  value,
  placeholder,
  hasFocus,
  isReadOnly = false,
  onChange,
  onSubmit,
}: ReasonFieldProps) => (
  <div>
    <label className="label" htmlFor={id}>
      {label} <span className="muted">Optional</span>
    </label>
    <textarea
      id={id}
      ref={hasFocus ? focus : undefined}
      className="field"
      value={value}
      placeholder={placeholder}
      readOnly={isReadOnly}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={onSubmit && submitKeys(onSubmit)}
    />
  </div>
);

/** When it is mounted. */
export const focus = (field: HTMLElement | null): void => field?.focus();

/** Ctrl+Enter, or Command+Enter. */
export const submitKeys = (submit: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
  event.preventDefault();
  submit();
};
