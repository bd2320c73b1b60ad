// Rules about whole tools, as Amp's permission rules. What Amp itself makes of them is in test/agents/real/amp.test.ts.
import { expect, it } from 'vitest';
import { permissionsFor } from '../../../src/agents/amp/rules.ts';

const asked = (tool: string) => ({ tool, action: 'delegate', to: 'us' });
const rule = (tool: string, action: 'allow' | 'reject' | 'ask', is_conditional = false) => ({
  tool,
  action,
  is_conditional,
});

it('has commands decided by the server where a rule allows them as a whole', () => {
  const permissions = permissionsFor([rule('*', 'allow')], [], asked);
  expect(permissions.filter(({ tool }) => tool === 'Bash')).toEqual([asked('Bash')]);
  expect(permissions.find(({ tool }) => tool === 'edit_file')).toEqual({ tool: 'edit_file', action: 'allow' });
  expect(permissions.at(-1)).toEqual(asked('*'));
});

it('asks about every tool for a glob that Amp may read otherwise', () => {
  expect(permissionsFor([rule('mcp\\_a', 'reject')], [], asked)).toEqual([asked('*')]);
});

it('keeps rejections and questions of the person before what rules allow, and their permissions behind all rules', () => {
  const own = [
    { tool: 'Bash', action: 'allow' },
    { tool: 'Read', action: 'reject' },
    { tool: 'Grep', action: 'ask' },
  ];
  const permissions = permissionsFor([rule('x_tool', 'allow'), rule('y_tool', 'reject')], own, asked);
  expect(permissions.map(({ tool }) => tool)).toEqual(['Read', 'y_tool', 'Grep', 'x_tool', 'Bash']);
});
