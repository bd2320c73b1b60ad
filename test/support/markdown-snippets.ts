// Reads the code blocks of a page with the mark above each, which says how it is tested:
//   <!-- run -->, <!-- run: each line -->         by test/docs-snippets.test.ts, as one script or line by line
//   <!-- run: with a person -->                    the same, while somebody answers
//   <!-- run: at a terminal -->                    line by line, and `y` is typed
//   <!-- run: with claude -->, codex, …            by test/agents/real/documentation.test.ts, with the real agent
//   <!-- run by: test/….test.ts -->                by that test, in its own words
//   <!-- not run: why -->
// A test refuses a block without a mark.
import { readFileSync } from 'node:fs';

export interface Snippet {
  page: string;
  line: number;
  language: string;
  code: string;
  how: 'run' | 'each line' | 'with a person' | 'at a terminal' | 'with an agent' | 'run by' | 'not run' | 'unmarked';
  /** The agent, the test, or the reason. */
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
  [/^run by: (test\/[\w/-]+\.test\.ts)$/, 'run by'],
  [/^not run: (.{10,})$/, 'not run'],
];

function modeOf(mark: string | undefined, language: string): Pick<Snippet, 'how' | 'what'> {
  for (const [pattern, how] of MARKS) {
    const found = pattern.exec(mark ?? '');
    if (found) return { how, what: found[1] };
  }
  return { how: language === 'json' ? 'run' : 'unmarked' };
}

/** Commands, with what continues them. */
export function commandsOf(code: string): string[] {
  return code
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
}
