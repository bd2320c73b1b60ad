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
    ['APP_SECRET="correct horse battery" npm start', 'APP_SECRET="•••" npm start'],
    [`login --password 'correct horse' now`, `login --password '•••' now`],
    ['{"password": "a\\"b c", "a": 1}', '{"password": "•••", "a": 1}'],
    ['mysqldump -u root -phunter2 shop', 'mysqldump -u root -p••• shop'],
    ['sshpass -p hunter2 ssh host', 'sshpass -p ••• ssh host'],
    ['docker login -u ana -p hunter2 registry', 'docker login -u ana -p ••• registry'],
    ['redis-cli -h db -a hunter2 ping', 'redis-cli -h db -a ••• ping'],
    ['openssl rsa -passin pass:hunter2', 'openssl rsa -passin pass:•••'],
    ['curl https://hooks.slack.com/services/T0/B0/abcDEF12', 'curl https://hooks.slack.com/services/•••'],
    ['mysql --password hunter2 db', 'mysql --password ••• db'],
    ['export X=sk-proj-1234567890abcdef', 'export X=•••'],
    ['echo ghp_1234567890abcdefghij', 'echo •••'],
    ['echo AKIAIOSFODNN7EXAMPLE', 'echo •••'],
    ['echo eyJhbGciOi.eyJzdWIiOi.sig', 'echo •••'],
    ['echo wJalrXUtnFEMI7K7MDENGbPxRfiCYEXAMPLEKEY1', 'echo •••'],
    ['curl -d "{\\"password\\":\\"hunter2 x\\",\\"a\\":1}"', 'curl -d "{\\"password\\":\\"•••\\",\\"a\\":1}"'],
    [
      JSON.stringify({ body: JSON.stringify({ body: '{"token": "a\\"b"}' }) }),
      JSON.stringify({ body: JSON.stringify({ body: '{"token": "•••"}' }) }),
    ],
    ['DB_PASS=hunter2 MYSQL_PWD=hunter2 x', 'DB_PASS=••• MYSQL_PWD=••• x'],
    ['curl -H "Authorization: token abcdef123456" x', 'curl -H "Authorization: token •••" x'],
    ['git clone https://abcdef0123456789@host/x', 'git clone https://•••@host/x'],
    ['psql postgres://u:p@ss@host/db', 'psql postgres://u:•••@host/db'],
    ['curl -uana:hunter2 https://x', 'curl -uana:••• https://x'],
    ['curl "https://x/a?b=1&sig=abc%2Fdef&c=2"', 'curl "https://x/a?b=1&sig=•••&c=2"'],
    ['f({password: `correct horse`})', 'f({password: `•••`})'],
    ['echo AGE-SECRET-KEY-1QQPQQQQQQQQQQQQ', 'echo •••'],
    ['echo hf_abcdefghijklmnopqrstuvwx', 'echo •••'],
    ['echo SG.abcdefghij.klmnopqrst', 'echo •••'],
    ['echo dop_v1_0123456789abcdef', 'echo •••'],
    ['x\n-----BEGIN RSA PRIVATE KEY-----\nMIIE', 'x\n•••'],
  ])('masks the secret in %j', (text, masked) => {
    expect(redacted(text)).toEqual({ text: masked, isMasked: true });
  });

  it.each([
    'rm -rf build && npm run test:agents -- --token-file path',
    'git checkout 0123456789abcdef0123456789abcdef01234567',
    'cat /srv/shop/src/components/checkout/CheckoutPage1.tsx',
    'Deploy to production now?',
    'mysql -u root -p shop && mkdir -p build',
    'docker run -p 80:80 web',
    'git clone ssh://git@host/x && bypass=1 PWD=/srv npm i pkg@1',
  ])('leaves %j', (text) => {
    expect(redacted(text)).toEqual({ text, isMasked: false });
  });

  it('takes a moment for a hostile text', () => {
    for (const part of [
      'token',
      '-----BEGIN ',
      'a:',
      '//a:',
      'Aa1',
      '--token ',
      'token="',
      'mysql ',
      'docker login ',
      'token=\\\\"',
      '_',
      '//a@',
    ])
      expect(redacted(part.repeat(4000 / part.length)).text).toBeTypeOf('string');
  });
});
