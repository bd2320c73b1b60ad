// What "always" may name: suggestions from one call to all of the tool, what is refused, and where a grant applies.
// Covers: src/core/grant.ts, src/core/grant-pattern.ts, src/core/grant-store.ts
import { describe, expect, it } from 'vitest';
import type { ApprovalContent } from '../../src/core/ask.ts';
import { type Grant, isUsable, projectTarget, rulesOfGrants } from '../../src/core/grant.ts';
import { checkGranted, hasHiddenText, suggestMatches } from '../../src/core/grant-pattern.ts';

const content = (input: Record<string, unknown>, more: Partial<ApprovalContent> = {}): ApprovalContent => ({
  tool_name: 'Bash',
  input,
  reason: '',
  scope: 'session',
  ...more,
});
const grant = (more: Partial<Grant> = {}): Grant => ({
  id: 'grt_1',
  askId: 'ask_1',
  sessionId: 's',
  scope: 'session',
  target: 'session:s',
  workFolder: undefined,
  tool: 'Bash',
  matches: { command: 'git *' },
  files: undefined,
  uses: 0,
  mostUses: undefined,
  expiresAt: undefined,
  givenBy: 'ana',
  createdAt: 0,
  revokedAt: undefined,
  revokedBy: undefined,
  ...more,
});

describe('suggestions', () => {
  it.each([
    [{ command: 'git push origin main' }, ['git push origin main'], ['git push *'], ['git *']],
    [{ cmd: 'ls' }, ['ls'], ['ls *']],
    [{ command: 'git add a && npm test' }, ['git add a && npm test'], ['git add *', 'npm test *'], ['git *', 'npm *']],
    [{ command: 'rm -rf *.log' }, ['rm -rf \\*.log']],
    [{ command: 'sudo make x' }, ['sudo make x'], ['sudo make x', 'make x *'], ['sudo make x', 'make *']],
  ])('for %j go from the command itself to its program', (input, ...expected) => {
    const suggested = suggestMatches({ input }).map((each) => [Object.values(each)].flat(2));
    expect(suggested).toEqual(expected);
  });

  it('for a file go from the same call to the file, its folder and the whole tool', () => {
    expect(suggestMatches({ input: { file_path: '/srv/shop/a.ts', content: 'x' } })).toEqual([
      { file_path: '/srv/shop/a.ts', content: 'x' },
      { file_path: '/srv/shop/a.ts', content: '*' },
      { file_path: '/srv/shop/*', content: '*' },
      {},
    ]);
  });

  it('for a command keep its other arguments as they are, except notes about it', () => {
    expect(suggestMatches({ input: { command: 'make a', workdir: '/srv', description: 'Builds' } })[0]).toEqual({
      command: ['make a'],
      workdir: '/srv',
    });
  });

  it('for other tools are their exact texts where that is all of the input', () => {
    expect(suggestMatches({ input: { url: 'https://a/*', force: true } })).toEqual([
      { url: 'https://a/\\*', force: true },
      {},
    ]);
    expect(suggestMatches({ input: { rows: 3 } })).toEqual([{}]);
  });

  it('are none for what cannot be parsed', () => {
    expect(suggestMatches({ input: { command: 'ls "' } })).toEqual([]);
    expect(suggestMatches({ input: { command: { a: 1 } } })).toEqual([]);
  });
});

describe('a grant', () => {
  it.each([
    [undefined],
    [{}],
    [{ command: '*' }],
    [{ command: ['git *', '*'] }],
    [{ command: 'git*' }],
    [{ description: 'x' }],
  ])('for commands that names no program is refused: %j', (matches) => {
    expect(checkGranted(content({ command: 'git log' }), matches)).toMatchObject({ code: 'grant_refused' });
  });

  it('for a request with hidden characters is refused, wherever they are', () => {
    for (const input of [
      { command: 'ls \u202e' },
      { command: `ls${' '.repeat(50)}; rm x` },
      { file_path: 'a\u200b' },
    ]) {
      expect(hasHiddenText({ input })).toBe(true);
      expect(checkGranted(content(input), { command: 'ls *' })).toMatchObject({ code: 'grant_refused' });
    }
    expect(hasHiddenText({ input: { command: 'echo "grüße, 日本"\nls' } })).toBe(false);
  });

  it('is over when it is revoked, has expired or is used up', () => {
    expect(isUsable(grant(), 5)).toBe(true);
    expect(isUsable(grant({ revokedAt: 1 }), 5)).toBe(false);
    expect(isUsable(grant({ expiresAt: 5 }), 5)).toBe(false);
    expect(isUsable(grant({ uses: 2, mostUses: 2 }), 5)).toBe(false);
  });

  it('applies in its folder, and not to a file that has changed since', () => {
    const files = [{ path: '/srv/a.sh', sha256: 'a' }];
    const rules = (given: Partial<Grant>, more: Partial<ApprovalContent> = {}, folder = '/srv') =>
      rulesOfGrants([grant(given)], content({}, more), folder).length;
    expect(rules({ workFolder: '/srv' })).toBe(1);
    expect(rules({ workFolder: '/srv' }, {}, '/tmp')).toBe(0);
    expect(rules({ files }, { files })).toBe(1);
    expect(rules({ files }, { files: [{ path: '/srv/a.sh', sha256: 'b' }] })).toBe(0);
    expect(rules({ files }, { files: [{ path: '/srv/b.sh', sha256: 'b' }] })).toBe(1);
  });

  it('for a project means the same project ids, or else the same folder on the same kind of machine', () => {
    const session = { id: 's', projectIds: [] as string[], workFolder: '/srv', labels: ['gpu'] };
    expect(projectTarget({ ...session, projectIds: ['b', 'a'] })).toBe(
      projectTarget({ ...session, projectIds: ['a', 'b'], workFolder: '/tmp' }),
    );
    expect(projectTarget(session)).not.toBe(projectTarget({ ...session, labels: [] }));
    expect(projectTarget({ ...session, workFolder: undefined })).toBeUndefined();
  });
});
