// A text that is typed and not sent and has no place on the server: kept in this window over a reload.
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';

export function useKeptText(key: string): [string, Dispatch<SetStateAction<string>>] {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  useEffect(() => {
    if (text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  }, [key, text]);
  return [text, setText];
}
