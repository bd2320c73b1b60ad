// Tests what is noticed about a request besides the risk of its action.
import { describe, expect, it } from 'vitest';
import { assessRisk } from '../../../src/core/risk.ts';
import { furtherSigns, ownSigns } from '../../../web/src/text/own-signs.ts';
import { approval, asked, question, session } from '../../client/asks.ts';

const labels = (more: object, own?: string, command = 'npm test') => {
  const ask = approval({ command });
  const from = session('s', own === undefined ? {} : { work_folder: own });
  return ownSigns({ ...ask, request: { ...ask.request, ...more } }, from).map(({ label }) => label);
};

describe('a request', () => {
  it.each([
    ['/srv/shop-live', '/srv/shop', ['Outside the folder']],
    ['/srv', '/srv/shop', ['Outside the folder']],
    ['/srv/shop', '/srv/shop', []],
    ['/srv/shop/web', '/srv/shop', []],
    ['/srv/shop', '/', []],
    ['/srv/shop', undefined, []],
  ])('that runs in %j, of a session in %j: %j', (work_folder, own, expected) => {
    expect(labels({ work_folder }, own)).toEqual(expected);
  });

  it('says that it was asked before a file changed, and that it hides characters', () => {
    expect(labels({ files: [], reason: 'Asked again: a.sh has changed since this was asked.' })).toEqual([
      'Asked again',
    ]);
    expect(labels({ reason: 'Asked again: by the agent itself' })).toEqual([]);
    expect(labels({}, undefined, 'node for\u200bmat.js')).toEqual(['Hidden characters']);
    const why = (command: string) => ownSigns(approval({ command }), undefined).map((sign) => sign.why);
    expect(why('a\u200bb')).toEqual(['one character is invisible or looks like another. It is marked above']);
    expect(why('a\u200b\u202eb')).toEqual(['2 characters are invisible or look like others. They are marked above']);
  });

  it('that is a question has none, but for one that asks for a secret', () => {
    const from = session('s', { work_folder: '/srv' });
    expect(ownSigns(question([asked()]), from)).toEqual([]);
    const secret = ownSigns(question([asked(), asked({ id: 'token', secret: true })]), from);
    expect(secret.map(({ label }) => label)).toEqual(['Asks for a secret']);
  });
});

it('of the action leaves out the deadline and what is said already', () => {
  const signs = assessRisk({
    action: { tool_name: 'Bash', input: { command: 'rm a\u200bb' } },
    expires_at_ms: 1,
  });
  const own = ownSigns(approval({ command: 'rm a\u200bb' }), undefined);
  expect(furtherSigns(signs, own).map(({ risk }) => risk)).toEqual(['destructive']);
  expect(furtherSigns(signs, []).map(({ risk }) => risk)).toEqual(['destructive', 'unclear']);
});
