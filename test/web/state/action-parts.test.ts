// Tests how the input of an approval is split into boxes and fields, and which inputs are too long to show at once.
import { describe, expect, it } from 'vitest';
import { isLong, partsOf } from '../../../web/src/state/action-parts.ts';

describe('the parts of an action', () => {
  it('are the command first, then texts of several lines, and every other field by its name', () => {
    const { boxes, fields } = partsOf({
      depth: 1,
      note: 'a\nb',
      command: 'ls',
      timeout: 600_000,
      labels: ['x'],
      on: true,
    });
    expect(boxes).toEqual([
      { key: 'command', text: 'ls', language: 'bash' },
      { key: 'note', text: 'a\nb', language: 'plain' },
    ]);
    expect(fields).toEqual([
      { key: 'depth', label: 'depth', text: '1' },
      { key: 'timeout', label: 'Timeout', text: '600000 ms (10m)' },
      { key: 'labels', label: 'labels', text: '["x"]' },
      { key: 'on', label: 'on', text: 'yes' },
    ]);
    expect(partsOf({})).toEqual({ boxes: [], fields: [] });
  });

  it('give a long value a box of its own', () => {
    const { boxes } = partsOf({ list: Array.from({ length: 300 }, (_, i) => i), url: 'x'.repeat(500) });
    expect(boxes.map(({ key, language }) => [key, language])).toEqual([
      ['list', 'json'],
      ['url', 'plain'],
    ]);
  });

  it('leave the change of a file to the diff, and nothing else', () => {
    const change = { file_path: 'a.ts', old_string: 'a\n', new_string: 'b\n' };
    expect(partsOf(change)).toEqual({ boxes: [], fields: [] });
    const { fields } = partsOf({ ...change, replace_all: true });
    expect(fields).toEqual([{ key: 'replace_all', label: 'Replace every occurrence', text: 'yes' }]);
  });
});

it('takes an action for long by its characters, or by the lines of its change', () => {
  const lines = (n: number) => 'x\n'.repeat(n);
  expect(isLong({ input: { command: 'x'.repeat(20_000) } })).toBe(false);
  expect(isLong({ input: { command: 'x'.repeat(20_001) } })).toBe(true);
  expect(isLong({ input: { file_path: 'a', content: lines(600) } })).toBe(true);
  expect(isLong({ input: {}, diff: lines(601) })).toBe(true);
  expect(isLong({ input: {}, diff: lines(10) })).toBe(false);
  const edits = (count: number) => Array.from({ length: count }, () => ({ old_string: 'a', new_string: lines(200) }));
  expect(isLong({ input: { file_path: 'a', edits: edits(2) } })).toBe(false);
  expect(isLong({ input: { file_path: 'a', edits: edits(3) } })).toBe(true);
});
