// Stores a text that was typed and not sent in the tab's session storage, so that a reload restores it. For texts that
// have no draft on the server.
import { useState } from 'react';

export function useStoredText(key: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  const store = (next: string) => {
    setText(next);
    // Written at once: the component may unmount with the next render.
    if (next === '') return sessionStorage.removeItem(key);
    try {
      sessionStorage.setItem(key, next);
    } catch {
      sessionStorage.removeItem(key); // The quota is used up. A reload may not restore an older text.
    }
  };
  return [text, store];
}
