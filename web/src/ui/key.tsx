// Shows the key that triggers the same action as the control that contains it. Hidden from screen readers, so that the
// control keeps its accessible name; on a card a single key is hidden while text is typed, when it does nothing.
import './key.css';

export const Key = ({ children }: { children: string | number }) => (
  <span className={`key ${String(children).length > 1 ? '' : 'single'}`} aria-hidden="true">
    {children}
  </span>
);
