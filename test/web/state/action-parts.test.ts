// Tests how the input of an approval is split into boxes, and which inputs are too long to show at once.
import { describe, expect, it } from 'vitest';
import { filesOfDiff, isLong, partsOf } from '../../../web/src/state/action-parts.ts';

describe('the parts of an action', () => {
  it('are the command first, texts of several lines, and the other fields as JSON', () => {
    expect(partsOf({ depth: 1, note: 'a\nb', command: 'ls' })).toEqual([
      { key: 'command', text: 'ls', language: 'bash' },
      { key: 'note', text: 'a\nb', language: 'plain' },
      { key: 'input', text: '{\n  "depth": 1\n}', language: 'json' },
    ]);
    expect(partsOf({})).toEqual([{ key: 'input', text: '{}', language: 'json' }]);
  });

  it('leave the change of a file to the diff, and nothing else', () => {
    const change = { file_path: 'a.ts', old_string: 'a\n', new_string: 'b\n' };
    expect(partsOf(change)).toEqual([]);
    expect(partsOf({ ...change, replace_all: true })).toEqual([
      { key: 'input', text: '{\n  "replace_all": true\n}', language: 'json' },
    ]);
  });
});

it('takes an action for long by its characters, or by the lines of its change', () => {
  const lines = (n: number) => 'x\n'.repeat(n);
  expect(isLong({ input: { command: 'x'.repeat(20_000) } })).toBe(false);
  expect(isLong({ input: { command: 'x'.repeat(20_001) } })).toBe(true);
  expect(isLong({ input: { file_path: 'a', content: lines(600) } })).toBe(true);
  expect(isLong({ input: {}, diff: lines(601) })).toBe(true);
  expect(isLong({ input: {}, diff: lines(10) })).toBe(false);
});

it('names the files of a unified diff, also of those that are created or deleted', () => {
  const diff = '--- a/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+x\n';
  expect(filesOfDiff(diff)).toBe('old.ts, new.ts');
  expect(filesOfDiff('no diff')).toBe('change');
});
