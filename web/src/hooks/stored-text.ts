// A text that is typed and not sent and has no place on the server: kept in this window over a reload.
import { useState } from 'react';

export function useKeptText(key: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  const keep = (next: string) => {
    setText(next);
    // At once: whoever shows the text may be gone with the next drawing.
    if (next === '') return sessionStorage.removeItem(key);
    try {
      sessionStorage.setItem(key, next);
    } catch {
      sessionStorage.removeItem(key); // There is no room. An older text must not take the place of this one.
    }
  };
  return [text, keep];
}
