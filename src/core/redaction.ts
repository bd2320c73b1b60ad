// Masks what looks like a secret in a text that leaves the server: keys, tokens, passwords. It finds what is written in a
// usual way and promises nothing; the full text is shown on the page only, to people who are signed in.

const MASK = '•••';

/** Each has the part that stays in its first group, where a part stays. */
const SECRETS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY[\s\S]*/g,
  /()\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}/g,
  /()\b(?:gh[pousr]_|github_pat_|glpat-|npm_|hp_|whsec_|xox[abeoprs]-|AKIA|ASIA|AIza|ya29\.)[A-Za-z0-9_.-]{10,}/g,
  /()\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?/g,
  /(\b(?:bearer|basic)\s+)[^\s"'`]{6,}/gi,
  /(\/\/[^\s/:@]{0,256}:)[^\s/@]{1,256}(?=@)/g,
  /((?:^|\s)(?:-u|--user)[\s=]+["']?[^\s:"']{1,128}:)[^\s"']+/g,
  /([\w.-]{0,64}(?:passw(?:or)?d|passphrase|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key)[\w.-]{0,64}["']?\s{0,4}[=:]\s{0,4}["']?)[^\s"'`&;,}]+/gi,
  /(--?[\w-]{0,64}(?:password|passwd|secret|token|api-?key)(?!-file)[\w-]{0,32}\s+["']?)[^\s"'-][^\s"']*/gi,
];

/** Long, and of three kinds of characters: no word, path or hash is. */
const RANDOM =
  /(?<![\w+/=-])(?=[\w+/=-]{0,200}[a-z])(?=[\w+/=-]{0,200}[A-Z])(?=[\w+/=-]{0,200}\d)[\w+=-]{32,}(?:\/[\w+=-]*)*/g;

export interface Redacted {
  text: string;
  /** Something was masked. */
  isMasked: boolean;
}

export function redacted(text: string): Redacted {
  let masked = text;
  for (const secret of SECRETS)
    masked = masked.replace(secret, (_, kept?: unknown) => `${typeof kept === 'string' ? kept : ''}${MASK}`);
  masked = masked.replace(RANDOM, MASK);
  return { text: masked, isMasked: masked !== text };
}
