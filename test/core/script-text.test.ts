// Tests that the text of a script is taken only with its own hash and within the limits, and never enters a digest.
import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Ask, boundFiles } from '../../src/core/ask.ts';
import { approvalDigest } from '../../src/core/digest.ts';
import { checkScriptTexts, filesKey } from '../../src/core/script-text.ts';

const sha256 = (text: string) => hash('sha256', text, 'hex');
const file = (text: string) => ({ path: '/srv/shop/x.sh', sha256: sha256(text), text });

it('takes a text with its hash, and files without a text', () => {
  expect(checkScriptTexts([file('echo ü\n'), { path: 'x', sha256: 'ab' }], sha256)).toBeUndefined();
  expect(checkScriptTexts(undefined, sha256)).toBeUndefined();
});

it('refuses a text that is not what the hash is of, and more than 32 KiB of text', () => {
  const wrong = { ...file('echo 1\n'), text: 'echo 2\n' };
  expect(checkScriptTexts([wrong], sha256)).toMatchObject({
    code: 'invalid_ask',
    detail: expect.stringContaining('/srv/shop/x.sh does not have the SHA-256'),
  });
  const long = file('x'.repeat(16 * 1024));
  expect(checkScriptTexts([long, long], sha256)).toBeUndefined();
  expect(checkScriptTexts([long, long, file('x')], sha256)).toMatchObject({ code: 'invalid_ask' });
});

it('keeps the text out of the digest', () => {
  const files = [file('echo 1\n')];
  const digestOf = (named: typeof files | ReturnType<typeof boundFiles>) =>
    approvalDigest({ tool_name: 'Bash', input: {}, reason: '', scope: '', files: named }, undefined, sha256);
  expect(digestOf(files)).toBe(digestOf(boundFiles(files)));
});

it('tells requests apart by what their files hold and by what they show', () => {
  const ask = (digest: string, files: object[]) => ({ kind: 'approval', digest, content: { files } }) as unknown as Ask;
  const keys = [ask('a', [file('1')]), ask('b', [file('1')]), ask('a', boundFiles([file('1')]))].map(filesKey);
  expect(new Set(keys).size).toBe(3);
});
