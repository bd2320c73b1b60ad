// Tests what each key means, by what has the focus.
import { describe, expect, it } from 'vitest';
import { commandOf, isDecision, type Pressed } from '../../../web/src/state/keys.ts';

describe('keys', () => {
  const press = (key: string, more: Partial<Pressed> = {}): Pressed => ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    repeat: false,
    ...more,
  });

  it('mean nothing while text is typed, except Escape', () => {
    expect(commandOf(press('a'), 'text')).toBeUndefined();
    expect(commandOf(press('Escape'), 'text')).toBe('back');
  });

  it('decide nothing when they repeat or come with a modifier', () => {
    expect(commandOf(press('a'), 'page')).toBe('allow');
    for (const more of [{ repeat: true }, { ctrlKey: true }, { metaKey: true }, { altKey: true }])
      expect(commandOf(press('a', more), 'page')).toBeUndefined();
    expect(commandOf(press('j', { repeat: true }), 'page')).toBe('next');
    expect(commandOf(press('2'), 'page')).toEqual({ choose: 2 });
    expect(['allow', 'deny', 'edit', 'other', 'take', 'snooze'].every((name) => isDecision(name as 'allow'))).toBe(
      true,
    );
    expect(isDecision('next')).toBe(false);
  });

  it('read on with Space, and back with Shift', () => {
    expect(commandOf(press(' '), 'page')).toBe('page-down');
    expect(commandOf(press(' ', { shiftKey: true, repeat: true }), 'page')).toBe('page-up');
    expect(commandOf(press(' '), 'control')).toBeUndefined();
  });

  it('scroll the card with arrows, Home and End, and move in the list only where the focus is in it', () => {
    const keys = ['ArrowDown', 'ArrowUp', 'Home', 'End'];
    expect(keys.map((key) => commandOf(press(key), 'page'))).toEqual(['line-down', 'line-up', 'top', 'bottom']);
    expect(keys.map((key) => commandOf(press(key), 'list'))).toEqual(['next', 'previous', 'first', 'last']);
    expect(commandOf(press('ArrowDown', { repeat: true }), 'page')).toBe('line-down');
  });

  it('leave a focused control the keys that operate it', () => {
    expect(commandOf(press('Enter'), 'control')).toBeUndefined();
    expect(commandOf(press('ArrowDown'), 'control')).toBeUndefined();
    expect(commandOf(press('j'), 'control')).toBe('next');
  });
});
