// Stores a text that was typed and not sent in the tab's session storage, so that a reload restores it. For texts that
// have no draft on the server.
import { useState } from 'react';

export function useStoredText(key: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  const store = (next: string) => {
    setText(next);
    // Written at once: the component may unmount with the next render.
    storeText(key, next);
  };
  return [text, store];
}

/** For the next component that has it. */
export function storeText(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    sessionStorage.removeItem(key); // The quota is used up. A reload may not restore an older text.
  }
}
