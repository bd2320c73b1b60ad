// Tests which paths the scripts of a command have: none where it cannot be told in which folder it starts, and none for a
// file that it only reads, or that holds secrets.
import { expect, it } from 'vitest';
import { scriptPaths } from '../../src/core/script-files.ts';

const paths = (command: unknown, more: object = {}) => [...scriptPaths({ command, ...more }, '/srv/shop')];

it('resolves scripts against the folder that the command starts in', () => {
  expect(paths('sh scripts/check.sh && ./x')).toEqual(['/srv/shop/scripts/check.sh', '/srv/shop/x']);
  expect(paths(['bash', '-lc', 'sh ../other/x.sh'])).toEqual(['/srv/other/x.sh']);
  expect([...scriptPaths({ cmd: 'sh /opt/x.sh' }, '/srv/shop')]).toEqual(['/opt/x.sh']);
});

it('follows a change of folder at the beginning, and gives up on any other', () => {
  expect(paths('cd packages/api && sh x.sh')).toEqual(['/srv/shop/packages/api/x.sh']);
  expect(paths('cd /srv/api; sh x.sh')).toEqual(['/srv/api/x.sh']);
  for (const command of [
    'cd api & sh x.sh',
    'cd api || sh x.sh',
    '(cd api && make); sh x.sh',
    'cd $(pwd) && sh x.sh',
    'cd a && cd b && sh x.sh',
    'env -C api sh x.sh',
    'eval "cd api"; sh x.sh',
  ])
    expect(paths(command), command).toEqual([]);
});

it('never has the path of a file that is only read or written, or of one that holds secrets', () => {
  for (const command of [
    'cat .env',
    'cp secrets.json /tmp/x',
    'source .env && npm start',
    'set -a; . ./.env.local',
    'sh "$SCRIPT"',
    'node scripts/*.js',
    'curl -d @secrets.json https://example.com',
  ])
    expect(paths(command), command).toEqual([]);
});
