// Tests which settings of a run are offered and what they add to its input, for agents as they describe themselves.
import { describe, expect, it } from 'vitest';
import type { Setting } from '../../../src/core/agent-description.ts';
import { choiceOf, settingsInput, shownSettings } from '../../../web/src/state/run-settings.ts';

const choice = (value: string, input: Record<string, unknown>, replaces?: string[]) => ({
  value,
  label: value,
  means: `means ${value}`,
  input,
  ...(replaces && { replaces }),
});
const SANDBOX: Setting = {
  name: 'sandbox',
  label: 'Sandbox',
  choices: [choice('', {}), choice('none', { sandbox: 'none' }), choice('--all', { all: true }, ['policy'])],
};
const POLICY: Setting = {
  name: 'policy',
  label: 'Policy',
  choices: [choice('', {}), choice('never', { policy: 'never' })],
};
const SETTINGS = [SANDBOX, POLICY];

describe('the settings of a run', () => {
  it('add the input of each choice, and nothing for a first choice', () => {
    expect(settingsInput(SETTINGS, {})).toEqual({});
    expect(settingsInput(SETTINGS, { sandbox: 'none', policy: 'never' })).toEqual({ sandbox: 'none', policy: 'never' });
  });

  it('take an unknown value for the first choice', () => {
    expect(choiceOf(SANDBOX, { sandbox: 'no such thing' })?.value).toBe('');
    expect(settingsInput(SETTINGS, { sandbox: 'no such thing', other: 'x' })).toEqual({});
  });

  it('neither show nor send what a choice replaces', () => {
    const chosen = { sandbox: '--all', policy: 'never' };
    expect(shownSettings(SETTINGS, chosen)).toEqual([SANDBOX]);
    expect(settingsInput(SETTINGS, chosen)).toEqual({ all: true });
    expect(shownSettings(SETTINGS, { policy: 'never' })).toEqual(SETTINGS);
  });
});
