// Masks what looks like a secret in a text that leaves the server: keys, tokens, passwords. It finds what is written in a
// usual way and promises nothing; the full text is shown on the page only, to people who are signed in.

const MASK = '•••';

/** Each has the part that stays in its first group, where a part stays. */
const SECRETS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY[\s\S]*/g,
  /()\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}/g,
  /()\b(?:gh[pousr]_|github_pat_|glpat-|npm_|hp_|whsec_|xox[abeoprs]-|AKIA|ASIA|AIza|ya29\.|SG\.|do[opr]_v1_|AGE-SECRET-KEY-1)[A-Za-z0-9_.-]{10,}/g,
  /()\bhf_[A-Za-z0-9]{20,}/g,
  /()\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?/g,
  /(\b(?:bearer|basic)\s+)[^\s"'`]{6,}/gi,
  /(\bauthorization(?:\\{0,8}["'])?\s{0,4}[:=]\s{0,4}(?:\\{0,8}["'])?(?:[\w-]{1,32}\s{1,4})?)[^\s"'`\\]+/gi,
  /(\/\/[^\s/:@]{0,256}:)[^\s/]{1,256}(?=@)/g,
  /(\bhttps?:\/\/)[^\s/:@"'`]{8,256}(?=@)/g,
  /([?&][\w-]{0,64}(?:sig|signature)=)[^\s"'`&#]+/gi,
  /((?:^|\s)(?:-u[\s=]*|--(?:proxy-)?user[\s=]+)["']?[^\s:"']{1,128}:)[^\s"']+/g,
  ...valuesOf(
    String.raw`(?:(?:passw(?:or)?d|passphrase|secret|token|credential|(?:api|auth|access|private)[_-]?key)[\w.-]{0,64}|(?:\b|_)(?:pass|pw)|[_.-]pwd)(?:\\{0,8}["'])?\s{0,4}[=:]\s{0,4}`,
    String.raw`[^\s"'\x60&;,}]+`,
    'gi',
  ),
  ...valuesOf(
    String.raw`--?[\w-]{0,64}(?:password|passwd|passphrase|secret|token|api-?key)(?!-file)[\w-]{0,32}\s+`,
    String.raw`[^\s"'\x60-][^\s"'\x60]*`,
    'gi',
  ),
  ...valuesOf(String.raw`\bsshpass\s+-p\s*`),
  ...valuesOf(String.raw`\bredis-cli\b[^|;&]{0,200}?\s-a\s*`),
  ...valuesOf(String.raw`\b(?:docker|podman|helm|oras)\b[^|;&]{0,200}?\blogin\b[^|;&]{0,200}?\s-p\s*`),
  ...valuesOf(String.raw`\b(?:mysql|mariadb)\w{0,16}(?:-\w{1,16})?\b[^|;&]{0,200}?\s-p`),
  /(\bpass:)[^\s"']+/g,
  /(\bhooks\.slack\.com\/(?:services|workflows)\/)[\w/-]+/g,
];

/** Long, and of three kinds of characters: no word, path or hash is. */
const RANDOM =
  /(?<![\w+/=-])(?=[\w+/=-]{0,200}[a-z])(?=[\w+/=-]{0,200}[A-Z])(?=[\w+/=-]{0,200}\d)[\w+=-]{32,}(?:\/[\w+=-]*)*/g;

/**
 * A value after what names it: in quotes, with all that is in them, or a word. The quotes stay. Quotes that are escaped, as in
 * JSON within a command, end at the next that are escaped alike.
 */
function valuesOf(name: string, word = String.raw`[^\s"'\x60]+`, flags = 'g'): RegExp[] {
  const escaped = String.raw`(\\{1,8}["'\x60]))(?:(?!(?<!\\)\2)[\s\S])+`;
  const values = [
    escaped,
    String.raw`")(?:\\.|[^"\\])+`,
    "')[^']+",
    '`)[^`]+',
    String.raw`)(?!\\{1,8}["'\x60])${word}`,
  ];
  return values.map((value) => new RegExp(`(${name}${value}`, flags));
}

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
