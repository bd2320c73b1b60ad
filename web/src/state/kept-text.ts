// A text that is typed and not sent and has no place on the server: kept in this window over a reload.
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';

export function useKeptText(key: string): [string, Dispatch<SetStateAction<string>>] {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  useEffect(() => {
    if (text === '') return sessionStorage.removeItem(key);
    try {
      sessionStorage.setItem(key, text);
    } catch {
      sessionStorage.removeItem(key); // There is no room. An older text must not take the place of this one.
    }
  }, [key, text]);
  return [text, setText];
}
