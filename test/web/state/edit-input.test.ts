// Tests how the input of an approval is edited as text and read back.
import { describe, expect, it } from 'vitest';
import { editable, readEdit } from '../../../web/src/state/edit-input.ts';

describe('an edited input', () => {
  it('is plain text for a lone command, and JSON for anything else', () => {
    expect(editable({ command: 'ls' })).toEqual({ text: 'ls', key: 'command' });
    expect(editable({ command: 'ls', cwd: '/' }).key).toBeUndefined();
    expect(readEdit('ls -l', 'command')).toEqual({ input: { command: 'ls -l' } });
    expect(readEdit('{"a": 1}', undefined)).toEqual({ input: { a: 1 } });
  });

  it.each(['', '[1]', 'null', '"x"', '{', '{"a": }'])(
    'is refused with a reason where it is no JSON object: %j',
    (text) => {
      expect(readEdit(text, undefined).problem).toMatch(/JSON/);
    },
  );

  it('is refused where the command is empty', () => {
    expect(readEdit('  ', 'command').problem).toContain('empty');
  });
});
