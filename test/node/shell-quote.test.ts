// Words for a shell, read back by a real one.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellQuote } from '../../src/node/shell-quote.ts';

it('a shell reads every word as it was', () => {
  const words = [
    '',
    'plain',
    '/a/b-c.d',
    "it's",
    "''",
    '$HOME `id` "x"',
    'a\nb',
    '~',
    '-n',
    '*',
    '\\',
    'a;b&c|d',
    '日本',
  ];
  const read = execFileSync('sh', ['-c', `printf '%s\\0' ${words.map(shellQuote).join(' ')}`], { encoding: 'utf8' });
  expect(read.split('\0').slice(0, -1)).toEqual(words);
});

it('a word without special characters stays readable', () => {
  expect(['http://127.0.0.1:4777', '/srv/a,b', 'a b'].map(shellQuote)).toEqual([
    'http://127.0.0.1:4777',
    '/srv/a,b',
    "'a b'",
  ]);
});
