// The filter of the inbox: which asks a query finds.
import { describe, expect, it } from 'vitest';
import { filtered } from '../../src/client/inbox-filter.ts';
import { approval, asked, entry, options, question, session } from './asks.ts';

const sessions = new Map([
  ['ses_1', session('ses_1', { title: 'Fix the build', project_ids: ['shop'] })],
  ['ses_2', session('ses_2', { agent: 'codex', agent_id: 'codex' })],
]);
const all = [
  approval({ command: 'rm -rf build' }, { ask_id: 'ask_000000rm' }),
  approval({ file_path: 'a_b.ts', content: 'x' }, { ask_id: 'ask_00edit', session_id: 'ses_2' }),
  question([asked()], { ask_id: 'ask_0where', expires_at_ms: 9 }),
].map(entry);
const found = (query: string) => filtered(all, sessions, query).map((e) => e.ask.ask_id.replace(/^ask_0*/, ''));

describe('the inbox filter', () => {
  it.each([
    ['', ['rm', 'edit', 'where']],
    ['  ', ['rm', 'edit', 'where']],
    ['build', ['rm', 'where']],
    ['RM', ['rm']],
    ['agent:codex', ['edit']],
    ['tool:bash agent:claude', ['rm']],
    ['project:shop is:question', ['where']],
    ['is:approval', ['rm', 'edit']],
    ['is:expiring', ['where']],
    ['session:"fix the"', ['rm', 'where']],
    ['"rm -rf"', ['rm']],
    ['"bash: rm"', ['rm']],
    ['where to?', ['where']],
    ['agent:', ['rm', 'edit', 'where']],
    ['http://nowhere', []],
    ['(', []],
    ['_', ['edit']],
    ['%', []],
    ['ask_000000rm', ['rm']],
    ['00edit', ['edit']],
    ['0edit', []],
    ['session:ses_2', ['edit']],
    ['ses_2', ['edit']],
    ['session:_', []],
  ])('finds by %j: %j', (query, expected) => {
    expect(found(query)).toEqual(expected);
  });

  it.each([
    ['canary', ['set']],
    ['"licence scan"', ['set']],
    ['bigint', ['diff']],
    ['-bigint is:approval', ['write']],
  ])('finds options, later questions and contents of files by %j: %j', (query, expected) => {
    const asks = [
      question([asked({ options: options('Canary') }), asked({ id: 'q2', question: 'Licence scan?' })], {
        ask_id: 'ask_set',
      }),
      approval({ file_path: 'a.ts', old_string: 'BigInt(1)', new_string: '1' }, { ask_id: 'ask_diff' }),
      approval({ file_path: 'b.ts', content: 'x' }, { ask_id: 'ask_write' }),
    ];
    const ids = filtered(asks.map(entry), sessions, query).map(({ ask }) => ask.ask_id.replace('ask_', ''));
    expect(ids).toEqual(expected);
  });
});
