// Shows the key that triggers the same action as the control that contains it. Hidden from screen readers, so that the
// control keeps its accessible name.
import './key.css';

export const Key = ({ children }: { children: string | number }) => (
  <span className="key" aria-hidden="true">
    {children}
  </span>
);
