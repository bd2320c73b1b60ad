// Taking the wrapper off a command line: only where what remains is certainly what runs.
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unwrapShell } from '../../../src/agents/wire/shell-words.ts';

describe('unwrapShell', () => {
  it.each([
    [`/bin/bash -lc 'touch a.txt'`, 'touch a.txt'],
    [`bash -c "echo \\"hi\\" \\\\ \\$HOME"`, 'echo "hi" \\ $HOME'],
    [`/usr/bin/zsh -lc ls`, 'ls'],
    [`/usr/local/bin/bash -lc ls`, 'ls'],
    [`sh -c 'it'"'"'s'`, `it's`],
    [`/bin/bash -lc 'a\nb'`, 'a\nb'],
  ])('%j runs %j', (command, inner) => expect(unwrapShell(command)).toBe(inner));

  it.each([
    'touch a.txt',
    `bash -lc 'a' b`,
    'bash -lc "$(date)"',
    'bash -lc "`date`"',
    `bash -lc 'a`,
    `bash -lc a; rm b`,
    `bash -lc 'a' > out`,
    'bash -lc *.ts',
    'bash script.sh',
    `env bash -lc 'a'`,
    `bash -xc 'a'`,
    `./bash -lc 'a'`,
    `/tmp/bin/bash -lc 'a'`,
    `bin/sh -c 'a'`,
    `/home/lead/sh -c 'a'`,
    `/usr/bin/../../tmp/sh -c 'a'`,
    'bash -lc ',
  ])('%j stays as it is', (command) => expect(unwrapShell(command)).toBe(command));

  it('finds what a real shell would hand over', () => {
    const word = fc.string({ unit: fc.constantFrom('a', ' ', "'", '"', '\\', '$', '`', '\n', ';', '~', '*', '-') });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (texts) => {
        const quoted = texts.map((text) => `'${text.replaceAll("'", `'"'"'`)}'`);
        expect(quoted.map((text) => unwrapShell(`bash -lc ${text}`))).toEqual(texts);
        const { stdout } = spawnSync('sh', ['-c', `printf '%s\\037' ${quoted.join(' ')}`], { encoding: 'utf8' });
        expect(stdout.split('\x1f').slice(0, -1)).toEqual(texts);
      }),
      { numRuns: 30 },
    );
  });
});
