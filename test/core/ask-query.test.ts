// The query language of inbox and history.
import { describe, expect, it } from 'vitest';
import { isFound, parseQuery, type Searched, unreadParts } from '../../src/core/ask-query.ts';

const searched: Searched = {
  askId: 'ask_01abcdef',
  sessionId: 'ses_9',
  title: 'Release 2.4',
  agents: ['claude', 'claude-2'],
  tool: 'Bash',
  projects: ['shop'],
  people: ['lead'],
  risks: () => ['outside_folder', 'network'],
  states: ['approval', 'answered', 'allowed'],
  createdAt: Date.UTC(2026, 10, 3),
  text: () => 'npm publish --access public\nship it',
};
const finds = (query: string) => isFound(parseQuery(query), searched);

describe('the query language', () => {
  it.each([
    ['', true],
    ['publish', true],
    ['PUBLISH ship', true],
    ['"publish --access"', true],
    ['"public ship"', false],
    ['agent:claude tool:bash by:lead project:shop', true],
    ['agent:codex', false],
    ['-agent:codex', true],
    ['-publish', false],
    ['publish -"ship it"', false],
    ['--access', false],
    ['"--access"', true],
    ['is:allowed -is:denied', true],
    ['risk:network risk:outside-folder', true],
    ['-risk:destructive', true],
    ['session:"release 2"', true],
    ['after:2026-11-01 before:2026-12-01', true],
    ['after:2026-11-04', false],
    ['after:2026-1', true],
    ['after:yesterday', true],
    ['bash', false],
    ['agent:', true],
    ['-agent:', true],
    ['-', true],
    ['-after:2026-1', true],
    ['abcdef', true],
    ['ses_9', true],
  ])('%j finds it: %s', (query, expected) => {
    expect(finds(query)).toBe(expected);
  });

  it('takes a word with an unknown prefix for a plain word, with and without a minus', () => {
    expect(parseQuery('foo:bar -x:y')).toEqual([
      { field: 'any', text: 'foo:bar', isExcluded: false },
      { field: 'any', text: 'x:y', isExcluded: true },
    ]);
  });

  it('names the parts that it does not understand', () => {
    expect(unreadParts('after:foo tool: -by: before:2026-13-40 is:open publish "" -')).toEqual([
      'after:foo',
      'tool:',
      '-by:',
      'before:2026-13-40',
    ]);
    expect(unreadParts('agent:claude after:2026-11-01 "tool:"')).toEqual([]);
  });
});
