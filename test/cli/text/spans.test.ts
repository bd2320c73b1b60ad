// Colours of styled text.
import { expect, it } from 'vitest';
import { hasColours, line, painter, span } from '../../../src/cli/text/spans.ts';

it('paints colours only where the environment and the terminal want them', () => {
  expect(painter(true)(line(span('x', 'bad')))).toBe('\u001b[31mx\u001b[39m');
  expect(painter(false)(line(span('x', 'bad')))).toBe('x');
  expect(hasColours({}, true)).toBe(true);
  expect(hasColours({}, false)).toBe(false);
  expect(hasColours({ CI: '1' }, false)).toBe(false);
  expect(hasColours({ NO_COLOR: '1', FORCE_COLOR: '1' }, true)).toBe(false);
  expect(hasColours({ TERM: 'dumb' }, true)).toBe(false);
  expect(hasColours({ FORCE_COLOR: '1' }, false)).toBe(true);
});
