// Tests that the settings offered for Claude Code are all it has, and that it takes each for what it says.
import { expect, it } from 'vitest';
import { PERMISSION_MODES, readClaudeInput } from '../../../src/agents/claude/input.ts';
import { settings } from '../../../src/agents/claude/settings.ts';

const [mode, trust] = settings;

it('offers every permission mode, and tells Claude Code the one that was chosen', () => {
  expect(mode?.choices.map(({ value }) => value).toSorted()).toEqual([...PERMISSION_MODES].toSorted());
  for (const { value, input } of mode?.choices ?? [])
    expect(readClaudeInput({ text: 'go', ...input })).toMatchObject({ mode: value === 'default' ? undefined : value });
});

it('tells Claude Code whether to trust its folder', () => {
  const read = trust?.choices.map(({ input }) => readClaudeInput({ text: 'go', ...input }));
  expect(read).toMatchObject([{ trust_folder: true }, { trust_folder: false }]);
});

it('warns of the choice in which no person is asked, and of no other', () => {
  const open = settings.flatMap(({ choices }) => choices.filter(({ is_open }) => is_open));
  expect(open.map(({ value }) => value)).toEqual(['bypassPermissions']);
});
