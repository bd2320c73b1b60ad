// Tests which files a card names as not shown, and when a file that is written is known to exist.
import { expect, it } from 'vitest';
import { isThere, unshownFiles } from '../../../web/src/state/unshown-files.ts';

const files = [{ path: '/srv/shop/x.sh', sha256: 'ab' }];

it('names the files of a command only', () => {
  expect(unshownFiles({ input: { command: 'sh x.sh' }, files })).toEqual(files);
  expect(unshownFiles({ input: { cmd: 'sh x.sh' }, files })).toEqual(files);
  expect(unshownFiles({ input: { command: 'ls' } })).toEqual([]);
  expect(unshownFiles({ input: { file_path: 'x.sh', content: '' }, files })).toEqual([]);
});

it('knows that a file exists only where the request names it', () => {
  for (const file of ['/srv/shop/x.sh', 'x.sh', './x.sh']) expect(isThere({ files }, file, '/srv/shop')).toBe(true);
  for (const file of ['/srv/shop/y.sh', 'y.sh', '/x.sh', undefined])
    expect(isThere({ files }, file, '/srv/shop')).toBe(false);
  expect(isThere({ files }, 'x.sh', undefined)).toBe(false);
  expect(isThere({}, 'x.sh', '/srv/shop')).toBe(false);
});
