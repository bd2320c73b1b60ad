// Highlights the lines of a file's change. A chunk of its own, with the grammars, loaded after the change is shown.
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import type { DiffBlock, DiffLine } from '../text/diff-lines.ts';
import { type Token, tokensByLine } from '../text/line-pieces.ts';
import './highlighted.css';

const grammars = { bash, css, go, ini, java, json, python, ruby, rust, sql, typescript, xml, yaml };
const lowlight = createLowlight(grammars);

const EXTENSIONS: Record<string, keyof typeof grammars> = {
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  js: 'typescript',
  jsx: 'typescript',
  mjs: 'typescript',
  cjs: 'typescript',
  json: 'json',
  jsonc: 'json',
  sh: 'bash',
  bash: 'bash',
  zsh: 'bash',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  go: 'go',
  java: 'java',
  kt: 'java',
  css: 'css',
  scss: 'css',
  html: 'xml',
  xml: 'xml',
  svg: 'xml',
  vue: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
  toml: 'ini',
  ini: 'ini',
  sql: 'sql',
};

/** Of one side of a change. Longer ones, and longer lines, take too long. */
const MAX_CHARACTERS = 30_000;
const MAX_LINE = 1000;

/** Each side is highlighted as the text that it would be, so that what spans lines is recognised. */
export function highlightFile(name: string, blocks: readonly DiffBlock[]): ReadonlyMap<DiffLine, Token[]> {
  const found = new Map<DiffLine, Token[]>();
  const language = EXTENSIONS[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
  if (language === undefined) return found;
  for (const { lines } of blocks)
    for (const other of ['added', 'removed'] as const) {
      const side = lines.filter(({ kind }) => kind !== other && kind !== 'note');
      const text = side.map((line) => line.text).join('\n');
      if (text.length > MAX_CHARACTERS || side.some((line) => line.text.length > MAX_LINE)) continue;
      const tokens = tokensByLine(lowlight.highlight(language, text, { prefix: 'hl-' }).children as never);
      for (const [i, line] of side.entries()) found.set(line, tokens[i] ?? []);
    }
  return found;
}
