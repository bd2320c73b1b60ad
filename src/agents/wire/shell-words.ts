// Unwraps a command line that only runs another one in a shell (`/bin/bash -lc '…'`), so that the inner command is what is
// displayed and matched by rules. Unwraps only what is certain: a shell of the system, and one quoted word after the option.

const WRAPPER = /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?(?:ba|z|da|k)?sh -l?c (.+)$/s;

export function unwrapShell(command: string): string {
  const rest = WRAPPER.exec(command)?.[1];
  return (rest === undefined ? undefined : oneWord(rest)) ?? command;
}

/** The value of a single shell word without expansions; undefined for anything else. */
function oneWord(text: string): string | undefined {
  const part = new RegExp(PART, 'y');
  let value = '';
  while (part.lastIndex < text.length) {
    const found = part.exec(text)?.groups;
    if (!found) return undefined;
    const { bare, single, double, escaped } = found;
    value += bare ?? single ?? escaped ?? (double ?? '').replace(/\\\n/g, '').replace(/\\([$`"\\])/g, '$1');
  }
  return value;
}

const PART = /(?<bare>[\w@%+=:,./-]+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\$`]|\\[\s\S])*)"|\\(?<escaped>[^\n])/;
