// What the page sends with "always", and how it words the calls that this covers.
import { expect, it } from 'vitest';
import { alwaysOf, LIMITS, matchesText, openAlways } from '../../../web/src/state/always.ts';

const suggestions = [{ command: ['git push origin'] }, { command: ['git push *', 'make *'] }, {}];

it('sends the narrowest suggestion for this session until it is chosen otherwise', () => {
  expect(alwaysOf(openAlways(), suggestions)).toEqual({ scope: 'session', matches: suggestions[0] });
  expect(alwaysOf({ choice: 1, scope: 'project', limit: 1 }, suggestions)).toEqual({
    scope: 'project',
    matches: suggestions[1],
    uses: 10,
  });
  expect(alwaysOf({ choice: 2, scope: 'person', limit: 2 }, suggestions)).toEqual({
    scope: 'person',
    matches: {},
    expires_after_ms: 3_600_000,
  });
  expect(LIMITS).toHaveLength(4);
});

it('words what is covered', () => {
  expect(suggestions.map(matchesText)).toEqual([
    'git push origin',
    'git push *  or  make *',
    'every call of this tool',
  ]);
  expect(matchesText({ file_path: '/srv/*', force: true })).toBe('file_path: /srv/*, force: true');
});
