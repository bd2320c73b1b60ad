// Tests which files a card names as not shown, and when a file that is written is known to exist.
import { expect, it } from 'vitest';
import {
  folded,
  hasFolded,
  replacedFile,
  shownInPart,
  shownScripts,
  unshownFiles,
} from '../../../web/src/state/unshown-files.ts';

const files = [{ path: '/srv/shop/x.sh', sha256: 'ab' }];

it('names the files of a command only', () => {
  expect(unshownFiles({ input: { command: 'sh x.sh' }, files })).toEqual(files);
  expect(unshownFiles({ input: { cmd: 'sh x.sh' }, files })).toEqual(files);
  expect(unshownFiles({ input: { command: 'ls' } })).toEqual([]);
  expect(unshownFiles({ input: { file_path: 'x.sh', content: '' }, files })).toEqual([]);
});

it('tells a file of which a difference is shown from one of which nothing is', () => {
  const other = { path: '/srv/shop/y.sh', sha256: 'cd' };
  const diff = '--- /srv/shop/x.sh\n+++ /srv/shop/x.sh\n@@ -1 +1 @@\n-a\n+b\n';
  expect(shownInPart([...files, other], diff)).toEqual({ partly: files, unshown: [other] });
  expect(shownInPart(files, undefined)).toEqual({ partly: [], unshown: files });
});

const script = { path: '/srv/shop/scripts/x.sh', sha256: 'ef', text: 'a\nb\n' };

it('shows a script with its text and path, and does not name it as one that is not shown', () => {
  const request = { input: { command: 'sh scripts/x.sh x.sh' }, files: [...files, script] };
  expect(unshownFiles(request)).toEqual(files);
  expect(shownScripts(request, '/srv/shop')).toEqual([{ path: script.path, name: 'scripts/x.sh', text: 'a\nb\n' }]);
  expect(shownScripts(request, undefined)).toMatchObject([{ name: script.path }]);
});

it('does not show a script twice where the difference shows all of it', () => {
  const head = `--- ${script.path}\n+++ ${script.path}\n`;
  expect(shownScripts({ files: [script], diff: `${head}@@ -1,2 +1,2 @@\n a\n-c\n+b\n` }, undefined)).toEqual([]);
  expect(shownScripts({ files: [script], diff: `${head}@@ -2 +2 @@\n-c\n+b\n` }, undefined)).toHaveLength(1);
});

it('folds a script after twelve lines, or as many characters', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `echo ${n}`).join('\n');
  expect(folded(`${lines(12)}\n`).left).toBe(0);
  expect(folded(lines(20))).toEqual({ shown: lines(12), left: 8, unit: 'lines' });
  expect(folded('x'.repeat(2000))).toMatchObject({ left: 800, unit: 'characters' });
  expect(hasFolded({ files: [{ ...script, text: lines(13) }] })).toBe(true);
  expect(hasFolded({ files: [...files, script] })).toBe(false);
});

it('knows that a file exists only where the request names it', () => {
  for (const file of ['/srv/shop/x.sh', 'x.sh', './x.sh'])
    expect(replacedFile({ files }, file, '/srv/shop')).toBe(files[0]);
  for (const file of ['/srv/shop/y.sh', 'y.sh', '/x.sh', undefined])
    expect(replacedFile({ files }, file, '/srv/shop')).toBeUndefined();
  expect(replacedFile({ files }, 'x.sh', undefined)).toBeUndefined();
  expect(replacedFile({}, 'x.sh', '/srv/shop')).toBeUndefined();
});
