// Shows the key that triggers the same action as the control that contains it. Hidden from screen readers, so that the
// control keeps its accessible name. A single key is dimmed while it does nothing, as on a card where text is typed, and
// hidden everywhere once the person has switched such keys off.
import { usePreferences } from '../hooks/preferences.ts';
import './key.css';

/** `isIdle`: it does nothing just now. */
export function Key({ children, isIdle = false }: { children: string | number; isIdle?: boolean }) {
  const isSingle = String(children).length === 1;
  const { shortcuts } = usePreferences();
  if (isSingle && !shortcuts) return null;
  return (
    <span className={`key ${isSingle ? 'single' : ''} ${isIdle ? 'idle' : ''}`} aria-hidden="true">
      {children}
    </span>
  );
}
