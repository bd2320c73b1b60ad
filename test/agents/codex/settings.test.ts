// Tests that the settings offered for Codex are all it has, and that it takes each for what it says.
import { expect, it } from 'vitest';
import { readCodexInput, SANDBOX_MODES } from '../../../src/agents/codex/input.ts';
import { settings } from '../../../src/agents/codex/settings.ts';

const [sandbox, policy, mode, trust] = settings.map(({ choices }) => choices);

it('offers every sandbox, and the flags of the command line, which stand for a sandbox and a policy', () => {
  expect(sandbox?.map(({ value }) => value)).toEqual(expect.arrayContaining([...SANDBOX_MODES]));
  const flags: Record<string, object> = {
    '--full-auto': { sandbox: 'workspace-write', approvalPolicy: 'on-request' },
    '--dangerously-bypass-approvals-and-sandbox': { sandbox: 'danger-full-access', approvalPolicy: 'never' },
  };
  for (const one of sandbox ?? [])
    for (const two of policy ?? []) {
      const replaces = one.replaces?.includes('approval_policy') ?? false;
      expect(replaces).toBe(Object.hasOwn(flags, one.value));
      const spec = readCodexInput({ text: 'go', ...one.input, ...(!replaces && two.input) });
      const named = { ...(one.value && { sandbox: one.value }), ...(two.value && { approvalPolicy: two.value }) };
      expect(spec).toMatchObject({ settings: flags[one.value] ?? named });
    }
});

it('tells Codex its mode, and whether to trust its folder', () => {
  expect(mode?.map(({ input }) => readCodexInput({ text: 'go', ...input }))).toMatchObject([{}, { mode: 'plan' }]);
  const read = trust?.map(({ input }) => readCodexInput({ text: 'go', ...input }));
  expect(read).toMatchObject([{ trustsFolder: undefined }, { trustsFolder: true }, { trustsFolder: false }]);
});

it('warns of the choices in which no person is asked or nothing is forbidden, and of no other', () => {
  const open = settings.flatMap(({ choices }) => choices.filter(({ is_open }) => is_open));
  expect(open.map(({ value }) => value)).toEqual([
    'danger-full-access',
    '--dangerously-bypass-approvals-and-sandbox',
    'true',
  ]);
});
