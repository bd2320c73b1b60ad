// Reads the code blocks of a page with the mark above each, which says how it is tested:
//   <!-- run -->, <!-- run: each line -->         by test/docs-snippets.test.ts, as one script or line by line
//   <!-- run: with a person -->                    the same, while somebody answers
//   <!-- run: at a terminal -->                    line by line, and `y` is typed
//   <!-- run: with claude -->, codex, …            by test/agents/real/documentation.test.ts, with the real agent
//   <!-- run by: test/….test.ts -->                by that test (or several, with commas), in its own words
//   <!-- not run: why -->
// A test refuses a block without a mark.
import { readFileSync } from 'node:fs';

export interface Snippet {
  page: string;
  line: number;
  language: string;
  code: string;
  how: 'run' | 'each line' | 'with a person' | 'at a terminal' | 'with an agent' | 'run by' | 'not run' | 'unmarked';
  /** The agent, the tests, or the reason. */
  what?: string | undefined;
}

/** Of shell, JavaScript, TypeScript and JSON; other languages are only shown. */
const FENCE = /^(?:<!-- (.+?) -->\n)?```(sh|js|ts|json)\n([\s\S]*?)^```$/gm;

export function snippetsOf(path: string, page: string): Snippet[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(FENCE)].map(({ 1: mark, 2: language = '', 3: code = '', index }) => {
    const line = text.slice(0, index).split('\n').length + (mark === undefined ? 0 : 1);
    return { page, line, language, code, ...modeOf(mark, language) };
  });
}

const MARKS: [RegExp, Snippet['how']][] = [
  [/^run$/, 'run'],
  [/^run: each line$/, 'each line'],
  [/^run: with a person$/, 'with a person'],
  [/^run: at a terminal$/, 'at a terminal'],
  [/^run: with (claude|codex|opencode|acp)$/, 'with an agent'],
  [/^run by: (test\/[\w/-]+\.test\.ts(?:, test\/[\w/-]+\.test\.ts)*)$/, 'run by'],
  [/^not run: (.{10,})$/, 'not run'],
];

function modeOf(mark: string | undefined, language: string): Pick<Snippet, 'how' | 'what'> {
  for (const [pattern, how] of MARKS) {
    const found = pattern.exec(mark ?? '');
    if (found) return { how, what: found[1] };
  }
  return { how: language === 'json' ? 'run' : 'unmarked' };
}

/** Settings and drawings. */
const SHOWN = ['', 'yaml', 'jsonc'];
const COMMAND = /^\s*(?:\$|npm|npx|node|curl|sudo|docker|(?:\.\/bin\/)?holdpoint) \S/;

/** Where a page has a command or a program that `snippetsOf` does not find: in another language, indented, in another fence. */
export function unreadBlocksOf(path: string, page: string): string[] {
  const found = new Set(snippetsOf(path, page).map(({ line }) => line));
  let open: string | undefined;
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text, i) => {
      const [, language] = /^\s*(?:`{3,}|~{3,})\s*(\S*)/.exec(text) ?? [];
      const isInside = open !== undefined;
      if (language !== undefined) open = isInside ? undefined : language;
      const isUnread = isInside
        ? open === '' && COMMAND.test(text)
        : language !== undefined && !found.has(i + 1) && !SHOWN.includes(language);
      return isUnread ? [`${page}:${i + 1}`] : [];
    });
}

/** The program and its subcommands, without settings in front and how the program is started. */
export const programWords = (command: string): string[] =>
  /^(?:[A-Z_]+=(?:\$\([^)]*\)|\S)* +)*(?:npx |\.\/bin\/)?((?:[a-z][\w-]*(?: +|$))+)/
    .exec(command)?.[1]
    ?.trim()
    .split(/ +/) ?? [command];

/** Commands, with what continues them. */
export function commandsOf(code: string): string[] {
  return code
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
}
