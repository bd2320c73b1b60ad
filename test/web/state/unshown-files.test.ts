// Tests which files a card names as not shown, and when a file that is written is known to exist.
import { expect, it } from 'vitest';
import { isThere, shownInPart, unshownFiles } from '../../../web/src/state/unshown-files.ts';

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

it('knows that a file exists only where the request names it', () => {
  for (const file of ['/srv/shop/x.sh', 'x.sh', './x.sh']) expect(isThere({ files }, file, '/srv/shop')).toBe(true);
  for (const file of ['/srv/shop/y.sh', 'y.sh', '/x.sh', undefined])
    expect(isThere({ files }, file, '/srv/shop')).toBe(false);
  expect(isThere({ files }, 'x.sh', undefined)).toBe(false);
  expect(isThere({}, 'x.sh', '/srv/shop')).toBe(false);
});
