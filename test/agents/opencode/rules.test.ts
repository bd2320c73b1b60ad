// Rules as permission settings of OpenCode.
import { expect, it } from 'vitest';
import { permissionsFor } from '../../../src/agents/opencode/rules.ts';

it('has a word for each permission that rules are about, and never allows commands as a whole', () => {
  expect(
    permissionsFor([
      { tool: 'Bash', action: 'allow', is_conditional: false },
      { tool: 'Edit', action: 'allow', is_conditional: false },
      { tool: 'web*', action: 'reject', is_conditional: false },
      { tool: 'read', action: 'reject', is_conditional: true },
    ]),
  ).toEqual({ bash: 'ask', edit: 'allow', webfetch: 'deny', websearch: 'deny', read: 'ask' });
  expect(permissionsFor([])).toEqual({});
});
