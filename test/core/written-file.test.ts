// Tests which actions write a whole file, and what is said of the one that they replace.
import { describe, expect, it } from 'vitest';
import { assessRisk } from '../../src/core/risk.ts';
import { replacedPath, writtenPath } from '../../src/core/written-file.ts';

const BASE = '/srv/shop';

describe('an action that writes a whole file', () => {
  it.each([
    [{ file_path: 'a.md', content: '' }, '/srv/shop/a.md'],
    [{ content: 'x', path: '/srv/shop/b/../a.md' }, '/srv/shop/a.md'],
    [{ file_path: 'a.md', content: 'x', mode: 'append' }, undefined],
    [{ file_path: 'a.md', old_string: 'a', new_string: 'b' }, undefined],
    [{ url: 'https://a.example', content: 'x' }, undefined],
    [{ content: 'x' }, undefined],
  ])('names it: %j → %s', (input, path) => {
    expect(writtenPath(input, BASE)).toBe(path);
  });

  it('shows nothing of a file of secrets, and of one in an unknown folder', () => {
    expect(replacedPath({ file_path: '.env', content: 'A=1' }, BASE)).toBeUndefined();
    expect(writtenPath({ file_path: 'a.md', content: '' }, undefined)).toBeUndefined();
  });

  const signs = (content: string, text: string | undefined) =>
    assessRisk({
      action: {
        tool_name: 'Write',
        input: { file_path: 'docs/a.md', content },
        files: [{ path: '/srv/shop/docs/a.md', sha256: 'ab', text }],
      },
      work_folder: BASE,
    });

  it('has a sign where a file is known to exist, unless it only appends', () => {
    expect(signs('new\n', 'one\ntwo\n')).toEqual([{ risk: 'replaces', why: 'docs/a.md exists and has 2 lines' }]);
    expect(signs('new\n', undefined)).toEqual([
      { risk: 'replaces', why: 'docs/a.md exists, and what it holds is not shown' },
    ]);
    expect(signs('one\ntwo\n', 'one\n')).toEqual([]);
  });
});
