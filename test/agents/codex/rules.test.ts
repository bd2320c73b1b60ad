// Rules as upper limits of Codex.
import { expect, it } from 'vitest';
import type { CodexSpec } from '../../../src/agents/codex/input.ts';
import { withLimits } from '../../../src/agents/codex/rules.ts';

const spec: CodexSpec = { text: 'x', mode: 'default', skills: [], trustsFolder: undefined, settings: {} };
const limits = (tool: string, action: 'allow' | 'reject' | 'ask', is_conditional = false) =>
  withLimits(spec, [{ tool, action, is_conditional }]).atMost;

it('limits what rules restrict, and permits nothing that was not permitted', () => {
  expect(limits('Bash', 'allow')).toBeUndefined();
  expect(limits('Bash', 'reject', true)).toEqual({ approvalPolicy: 'untrusted' });
  expect(limits('apply_patch', 'reject')).toEqual({ approvalPolicy: 'untrusted' });
  expect(limits('*', 'reject')).toEqual({ sandbox: 'read-only', approvalPolicy: 'untrusted' });
  expect(limits('apply_patch', 'ask')).toEqual({ approvalPolicy: 'untrusted' });
  const limited = withLimits({ ...spec, atMost: { sandbox: 'read-only' } }, [
    { tool: 'Bash', action: 'ask', is_conditional: false },
  ]);
  expect(limited.atMost).toEqual({ sandbox: 'read-only', approvalPolicy: 'untrusted' });
});
