// File changes as a diff.
import { describe, expect, it } from 'vitest';
import { inputDiff, unifiedDiff } from '../../../src/cli/text/file-change.ts';
import { plain } from '../../../src/cli/text/spans.ts';

describe('a file change', () => {
  const shown = (input: Record<string, unknown>) => inputDiff(input)?.lines.map(plain);

  it('is a diff of the old and new text, whatever the tool calls its fields', () => {
    const expected = ['a.ts', ' one', '-two', '+three'];
    expect(shown({ file_path: 'a.ts', old_string: 'one\ntwo\n', new_string: 'one\nthree\n' })).toEqual(expected);
    expect(shown({ path: 'a.ts', old_str: 'one\ntwo\n', new_str: 'one\nthree\n' })).toEqual(expected);
    expect(shown({ path: 'a.ts', edits: [{ oldText: 'one\ntwo\n', newText: 'one\nthree\n' }] })).toEqual(expected);
    expect(shown({ file_path: 'a.ts', content: 'one\n' })).toEqual(['a.ts', '+one']);
    expect(shown({ command: 'ls' })).toBeUndefined();
    expect(shown({ path: 'a.ts', edits: [{ at: 3 }] })).toBeUndefined();
  });

  it('leaves out unchanged lines far from a change, with a note', () => {
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`);
    const diff = shown({ path: 'a', old_str: lines.join('\n'), new_str: lines.with(15, 'changed').join('\n') });
    expect(diff?.filter((text) => /^[-+]/.test(text))).toEqual(['-line 15', '+changed']);
    expect(diff?.some((text) => text.startsWith('⋮ '))).toBe(true);
  });

  it('shows both texts in full when comparing them takes too long', () => {
    const many = (word: string) => Array.from({ length: 4000 }, (_, i) => `${word} ${i}`).join('\n');
    const diff = shown({ path: 'a', old_str: many('old'), new_str: many('new') });
    expect(diff?.filter((text) => text.startsWith('-'))).toHaveLength(4000);
    expect(diff?.filter((text) => text.startsWith('+'))).toHaveLength(4000);
  });

  it('colours the diff of an agent without interpreting it', () => {
    const styles = unifiedDiff('--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\u001b[2J').map((of) => of[0]?.style);
    expect(styles).toEqual(['bold', 'bold', 'hunk', 'removed', 'added', 'plain']);
    expect(plain(unifiedDiff('+\u001b[2J')[0] ?? [])).toBe('+␛[2J');
  });
});
