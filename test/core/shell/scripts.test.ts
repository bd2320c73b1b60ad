// Tests which words of a command are scripts that it runs, and which are files that it only reads or writes.
import { expect, it } from 'vitest';
import { readShell } from '../../../src/core/shell/read.ts';
import { scriptsRunBy } from '../../../src/core/shell/scripts.ts';

const scripts = (line: string) =>
  readShell(line).commands.flatMap((command) => scriptsRunBy(command).map(({ word }) => word.text));

it.each([
  ['./x', ['./x']],
  ['scripts/check.sh --fast', ['scripts/check.sh']],
  ['/srv/shop/x', ['/srv/shop/x']],
  ['sh scripts/check.sh', ['scripts/check.sh']],
  ['bash -eu -o pipefail ./x.sh a b', ['./x.sh']],
  ['. ./env.sh && source lib.sh', ['./env.sh', 'lib.sh']],
  ['env A=1 sudo -u deploy nohup timeout 5 nice -n 3 sh x.sh', ['x.sh']],
  ['find . -name "*.x" | xargs sh x.sh', ['x.sh']],
  ['bash -c "python3 -u tools/x.py --all"', ['tools/x.py']],
  ['echo $(node -r ./hook.cjs x.js)', ['x.js']],
  ['node --test a.test.js b.test.js', ['a.test.js', 'b.test.js']],
  ['deno run --allow-read x.ts; bun run x.ts; tsx watch x.ts', ['x.ts', 'x.ts', 'x.ts']],
  ['ruby -w x.rb; perl -I lib x.pl; php -f x.php', ['x.rb', 'x.pl', 'x.php']],
  ['.venv/bin/python x.py', ['.venv/bin/python', 'x.py']],
  ['/usr/bin/env python3.12 x.py', ['x.py']],
  ['python3 < x.py', ['x.py']],
])('finds what %j runs', (line, found) => {
  expect(scripts(line)).toEqual(found);
});

it.each([
  'npm test',
  'npm run build -- scripts/x.sh',
  'node --test',
  'node -e "1" x.js',
  'python3 -m pytest tests/x.py',
  'python -c "print(1)" x.py',
  'perl -ne print x.txt',
  'bun test; bun install left.pad; deno fmt',
  'bash -c "ls"',
  'cat .env',
  'cp secrets.json scripts/x.sh',
  'vim ./x.sh > ./y.sh < ./z.sh',
  'chmod +x ./x.sh',
  '/usr/bin/git status',
])('finds no script in %j', (line) => {
  expect(scripts(line)).toEqual([]);
});
