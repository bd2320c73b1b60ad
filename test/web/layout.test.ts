// Tests the layout of web/src: state/ and text/ are pure, a style sheet is beside its component and uses the tokens.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const src = join(import.meta.dirname, '..', '..', 'web', 'src');
const read = (path: string) => readFileSync(join(src, path), 'utf8');
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
const IMPURE =
  /from '(?:react|wouter|lucide-react|@tanstack\/|\.\.\/(?:hooks|ui|pages|api)\b)|\b(?:document|window|navigator|location|localStorage|sessionStorage|performance|crypto)\.|\b(?:fetch|setTimeout|setInterval|Date\.now)\(/;
const RAW_VALUE =
  /(?:padding|margin|gap|font-size|font-weight|border-radius)[a-z-]*: [^;]*\b\d+(?:\.\d+)?(?:px|rem)\b[^;]*;/g;

it('keeps state and text free of React, requests, storage, timers and the clock', () => {
  const files = globSync('{state,text}/*.ts', { cwd: src });
  expect(files.length).toBeGreaterThan(10);
  const impure = files.flatMap((path) => IMPURE.exec(withoutComments(read(path)))?.[0].concat(` in ${path}`) ?? []);
  expect(impure).toEqual([]);
});

it('has each style sheet beside the component that imports it', () => {
  const sheets = globSync('{ui,pages}/*.css', { cwd: src });
  const isImported = (sheet: string) => read(sheet.replace(/css$/, 'tsx')).includes(`import './${basename(sheet)}';`);
  expect(sheets.filter((sheet) => !isImported(sheet))).toEqual([]);
});

it('takes space, type, weight and radii from the tokens', () => {
  const raw = globSync('{ui,pages}/*.css', { cwd: src }).flatMap((path) => read(path).match(RAW_VALUE) ?? []);
  expect(raw).toEqual([]);
});
