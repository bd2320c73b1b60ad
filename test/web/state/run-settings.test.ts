// What can be chosen when a run is started from the page: every static mode of the agents, in words, as an input that the
// agent takes for what the words say.
import { describe, expect, it } from 'vitest';
import { PERMISSION_MODES, readClaudeInput } from '../../../src/agents/claude/input.ts';
import { readCodexInput, SANDBOX_MODES } from '../../../src/agents/codex/input.ts';
import { choiceOf, PERMISSION_SETTINGS, settingsFor, settingsInput } from '../../../web/src/state/run-settings.ts';

const valuesOf = (setting: { choices: readonly { value: string }[] }) => setting.choices.map(({ value }) => value);
const [mode] = PERMISSION_SETTINGS.claude;
const [sandbox, policy] = PERMISSION_SETTINGS.codex;

describe('settings of a run', () => {
  it('offer every permission mode of Claude Code, and tell it the one that was chosen', () => {
    expect(valuesOf(mode).toSorted()).toEqual([...PERMISSION_MODES].toSorted());
    for (const value of valuesOf(mode)) {
      const spec = readClaudeInput({ text: 'go', ...settingsInput('claude', { permission_mode: value }) });
      expect(spec).toMatchObject({ mode: value === 'default' ? undefined : value });
    }
  });

  it('offer every sandbox and policy of Codex, and its two flags, which stand for both', () => {
    expect(valuesOf(sandbox)).toEqual(expect.arrayContaining([...SANDBOX_MODES]));
    for (const one of valuesOf(sandbox))
      for (const two of valuesOf(policy)) {
        const chosen = { sandbox: one, approval_policy: two };
        const spec = readCodexInput({ text: 'go', ...settingsInput('codex', chosen) });
        const flags = {
          '--full-auto': { sandbox: 'workspace-write', approvalPolicy: 'on-request' },
          '--dangerously-bypass-approvals-and-sandbox': { sandbox: 'danger-full-access', approvalPolicy: 'never' },
        };
        const named = { ...(one && { sandbox: one }), ...(two && { approvalPolicy: two }) };
        expect(spec).toMatchObject({ settings: Object.hasOwn(flags, one) ? flags[one as keyof typeof flags] : named });
        expect(settingsFor('codex', chosen).includes(policy)).toBe(!one.startsWith('--'));
      }
    expect(readCodexInput({ text: 'go', ...settingsInput('codex', { mode: 'plan' }) })).toMatchObject({ mode: 'plan' });
  });

  it.each([
    ['', undefined],
    ['true', true],
    ['false', false],
  ])('tell Codex whether to trust its folder: %j', (trust_folder, trustsFolder) => {
    const spec = readCodexInput({ text: 'go', ...settingsInput('codex', { trust_folder }) });
    expect(spec).toMatchObject({ trustsFolder });
  });

  it('say nothing that was not chosen, nor what another agent was told', () => {
    expect(settingsInput('claude', {})).toEqual({});
    expect(settingsInput('codex', { permission_mode: 'bypassPermissions' })).toEqual({});
    expect(settingsInput('exec', { sandbox: 'read-only' })).toEqual({});
    expect(choiceOf(sandbox, { sandbox: 'no such thing' }).value).toBe('');
  });

  it('warn of those in which nothing is asked or forbidden, and of no other', () => {
    const open = [mode, sandbox, policy].flatMap(({ choices }) => choices.filter(({ isOpen }) => isOpen));
    expect(open.map(({ value }) => value)).toEqual([
      'bypassPermissions',
      'danger-full-access',
      '--dangerously-bypass-approvals-and-sandbox',
    ]);
  });
});
