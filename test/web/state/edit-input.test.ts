// Tests how the input of an approval is edited as text and read back.
import { describe, expect, it } from 'vitest';
import { editable, readEdit } from '../../../web/src/state/edit-input.ts';

describe('an edited input', () => {
  it('is plain text for a command, whatever other fields there are, and JSON for anything else', () => {
    expect(editable({ command: 'ls', cwd: '/' })).toEqual({ text: 'ls', key: 'command' });
    expect(readEdit('ls -l', { command: 'ls', cwd: '/' })).toEqual({ input: { command: 'ls -l', cwd: '/' } });
    expect(readEdit('{"a": 1}', { a: 2 })).toEqual({ input: { a: 1 } });
  });

  it.each(['', '[1]', 'null', '"x"', '{', '{"a": }'])(
    'is refused with a reason where it is no JSON object: %j',
    (text) => {
      expect(readEdit(text, {}).problem).toMatch(/JSON/);
    },
  );

  it('is refused with hidden characters, which no field shows', () => {
    expect(readEdit('echo \u202edo', { command: 'echo' }).problem).toContain('hidden characters');
    expect(readEdit('{"a": "\u200b"}', { a: '' }).problem).toContain('hidden characters');
    expect(readEdit('echo \u200b', { command: 'echo \u200b' }).problem).toBeUndefined();
  });

  it('is refused where the command is empty', () => {
    expect(readEdit('  ', { command: 'ls' }).problem).toContain('empty');
  });
});
