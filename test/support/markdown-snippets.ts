// Reads the code blocks of a page with the mark above each: `<!-- run -->`, `<!-- run: each line -->`, `<!-- run: with a person -->`
// or `<!-- not run: why -->`. A test refuses a block without a mark.
import { readFileSync } from 'node:fs';

export interface Snippet {
  page: string;
  line: number;
  language: string;
  code: string;
  how: 'run' | 'each line' | 'with a person' | 'not run' | 'unmarked';
  /** Of one that is not run. */
  why?: string;
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

function modeOf(mark: string | undefined, language: string): Pick<Snippet, 'how' | 'why'> {
  const why = /^not run: (.{10,})$/.exec(mark ?? '')?.[1];
  if (why !== undefined) return { how: 'not run', why };
  if (mark === 'run' || language === 'json') return { how: 'run' };
  if (mark === 'run: each line') return { how: 'each line' };
  if (mark === 'run: with a person') return { how: 'with a person' };
  return { how: 'unmarked' };
}

/** Commands, with what continues them. */
export function commandsOf(code: string): string[] {
  return code
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
}
