// Tests why a request is not reviewed together with others.
import { expect, it } from 'vitest';
import { shapeOf } from '../../../src/client/approval-groups.ts';
import { aloneWhy } from '../../../web/src/text/decided-alone.ts';
import { approval, asked, question } from '../../client/asks.ts';

const with_ = (more: object, input: Record<string, unknown> = { command: 'ls' }) => {
  const ask = approval(input);
  return { ...ask, request: { ...ask.request, ...more } };
};
const earlier = { ask_id: 'a', behavior: 'allow', answered_by: 'mate', answered_at_ms: 1 };

it.each([
  ['a question', question([asked()])],
  ['a plan', with_({ tool_name: 'ExitPlanMode', reason: 'Move it' }, {})],
  ['the change of a file', approval({ file_path: 'a', old_string: 'a', new_string: 'b' })],
  ['the change of a file', with_({ diff: '-a' })],
  ['decided once before', with_({ earlier })],
  ['without an input', approval({})],
  ['long', approval({ command: `echo ${'x'.repeat(4000)}` })],
])('is that it is %s', (why, ask) => {
  expect(shapeOf(ask)).toBeUndefined();
  expect(aloneWhy(ask)).toBe(why);
});
