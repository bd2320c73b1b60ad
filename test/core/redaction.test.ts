// What is masked before a text leaves the server, and what is left as it is.
import { describe, expect, it } from 'vitest';
import { redacted } from '../../src/core/redaction.ts';

describe('redaction', () => {
  it.each([
    ['curl -H "Authorization: Bearer abcdef123456" x', 'curl -H "Authorization: Bearer •••" x'],
    ['curl -u admin:hunter2 https://x', 'curl -u admin:••• https://x'],
    ['git clone https://ana:s3cret@host/repo', 'git clone https://ana:•••@host/repo'],
    ['DB_PASSWORD=hunter2 npm start', 'DB_PASSWORD=••• npm start'],
    ['{"api_key": "abc", "a": 1}', '{"api_key": "•••", "a": 1}'],
    ['mysql --password hunter2 db', 'mysql --password ••• db'],
    ['export X=sk-proj-1234567890abcdef', 'export X=•••'],
    ['echo ghp_1234567890abcdefghij', 'echo •••'],
    ['echo AKIAIOSFODNN7EXAMPLE', 'echo •••'],
    ['echo eyJhbGciOi.eyJzdWIiOi.sig', 'echo •••'],
    ['echo wJalrXUtnFEMI7K7MDENGbPxRfiCYEXAMPLEKEY1', 'echo •••'],
    ['x\n-----BEGIN RSA PRIVATE KEY-----\nMIIE', 'x\n•••'],
  ])('masks the secret in %j', (text, masked) => {
    expect(redacted(text)).toEqual({ text: masked, isMasked: true });
  });

  it.each([
    'rm -rf build && npm run test:agents -- --token-file path',
    'git checkout 0123456789abcdef0123456789abcdef01234567',
    'cat /srv/shop/src/components/checkout/CheckoutPage1.tsx',
    'Deploy to production now?',
  ])('leaves %j', (text) => {
    expect(redacted(text)).toEqual({ text, isMasked: false });
  });

  it('takes a moment for a hostile text', () => {
    for (const part of ['token', '-----BEGIN ', 'a:', '//a:', 'Aa1', '--token '])
      expect(redacted(part.repeat(4000 / part.length)).text).toBeTypeOf('string');
  });
});
