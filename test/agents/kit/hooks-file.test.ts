// Our hooks in a settings file of another program: put in and taken out in place, whatever the file looks like, with
// every byte that is not ours left as it is.
// Covers: src/agents/kit/settings-json.ts
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Owner, readHooks, shownBriefly, withOurs, withoutOurs } from '../../../src/agents/kit/hooks-file.ts';

const OWNER: Owner = {
  agent: 'The agent',
  isOurs: ({ url }) => url === 'ours',
  targetOf: ({ url = '' }) => ({ url }),
  mark: 'take out ours',
};
const OURS = { hooks: [{ type: 'http', url: 'ours' }] };
const ADDED = { Stop: OURS, PreToolUse: OURS };
const put = (text: string | undefined) => withOurs(text, OWNER, ADDED);
const back = (text: string, before: string) => withoutOurs(text, OWNER, before);

const THEIR_HOOK = '{"type":"command","command":"a \\u00e9 b"}';
const FILES: Record<string, string> = {
  'two spaces': '{\n  "model": "opus",\n  "big": 12345678901234567890,\n  "small": 1.0e-2\n}\n',
  tabs: '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}',
  'empty containers': '{ "hooks": {\n    "Stop": [],  "Other": [ ]\n  }, "permissions": {} }\n',
  'blanks in its lists': '{ "hooks": {\t"Stop": [ ], "PreToolUse": [\n] } }',
  'blanks in its hooks': '{ "hooks": { } }',
  'one line': `{"a":1,"hooks":{"Stop":[{"hooks":[${THEIR_HOOK}]}]},"b":[]}`,
  'odd places': `{ "model" : "opus"\n , "hooks" :\n{"Stop": [\n{"matcher":"x" ,"hooks":[ ${THEIR_HOOK} ] } ]}\n}\n\n`,
  'names twice': '{"model":"a",\n "model":"b"\n}',
  escapes: '{\n  "name": "\\u00e9\\/\\ud83d\\ude00"\n}',
  'carriage returns': '{\r\n    "model": "opus",\r\n    "hooks": {}\r\n}\r\n',
  'a mark at its beginning': '\uFEFF{\n  "model": "opus"\n}\n',
};

describe.each(Object.entries(FILES))('a file with %s', (_name, text) => {
  it('has our hooks afterwards, and comes back to the byte', () => {
    const there = put(text);
    const { hooks } = readHooks(there, OWNER);
    expect([hooks?.Stop?.at(-1), hooks?.PreToolUse?.at(-1)]).toEqual([OURS, OURS]);
    expect(there.includes('\r\n')).toBe(text.includes('\r\n'));
    expect(back(there, text)).toBe(text);
  });

  it('keeps what was changed beside them', () => {
    const changed = put(text).replace('{', '{"mine": [ 1.50 ], ');
    expect(back(changed, text)).toBe(text.replace('{', '{"mine": [ 1.50 ], '));
  });
});

it.each(['{}', '{ }', '\n{\n}\n', '', ' \n'])('comes back to the byte from nothing, such as %j', (text) => {
  expect(back(put(text), text)).toBe(text);
});

it('is written as people write it where there was nothing', () => {
  const there = withOurs(undefined, OWNER, { Stop: OURS });
  expect(there).toBe(`${JSON.stringify({ hooks: { Stop: [OURS] } }, undefined, 2)}\n`);
  expect(withOurs(' \n', OWNER, { Stop: OURS })).toBe(there);
  expect(withoutOurs(there, OWNER)).toBe('{}\n');
});

it('leaves hooks that were added beside ours, in our groups too', () => {
  const mine = { type: 'command', command: 'mine' };
  const file = { hooks: { Stop: [{ hooks: [mine, ...OURS.hooks, mine] }, OURS, { hooks: [mine] }] } };
  const left = withoutOurs(JSON.stringify(file), OWNER);
  expect(JSON.parse(left)).toEqual({ hooks: { Stop: [{ hooks: [mine, mine] }, { hooks: [mine] }] } });
});

it('is shown short, and whole where it differs', () => {
  const ours = { type: 'http', url: 'ours', timeout: 1 };
  const list = { A: [{ hooks: [ours] }], B: [{ hooks: [{ ...ours, timeout: 2 }] }] };
  const other = [{ matcher: 'x', hooks: [ours] }];
  const mixed = [{ hooks: [{ type: 'command' }, ours] }];
  const shown = shownBriefly(
    JSON.stringify({ hooks: { ...list, C: other, D: mixed, E: [...mixed, ...list.A] } }),
    OWNER,
  );
  expect(JSON.parse(shown).hooks).toEqual({
    A: list.A,
    B: 'the same, timeout 2',
    C: other,
    D: [{ hooks: [{ type: 'command' }, 'the same, timeout 1'] }],
    E: [{ hooks: [{ type: 'command' }, 'the same, timeout 1'] }, 'the same, timeout 1'],
  });
});

it.each(['{"hooks":{},"hooks":{}}', '{"hooks":{"Stop":[],"Stop":[]}}'])('refuses %s', (text) => {
  expect(() => put(text)).toThrow('twice');
});

it('comes back to the byte from any file', () => {
  const value = fc.json({ maxDepth: 2 });
  const space = fc.constantFrom('', ' ', '\n', '\n  ', '\t');
  const group = fc.constantFrom(
    `{"hooks":[${THEIR_HOOK}]}`,
    '{ "hooks": [] }',
    `{"hooks":[${THEIR_HOOK} , ${THEIR_HOOK}]}`,
  );
  const list = fc.tuple(space, fc.array(group, { maxLength: 2 })).map(([s, all]) => `[${all.join(`,${s}`)}]`);
  const hooks = fc.tuple(space, list, list).map(([s, a, b]) => `{${s}"Stop":${s}${a},"Other":${b}${s}}`);
  const file = fc.tuple(space, space, value, hooks, fc.boolean()).map(([s, t, v, h, first]) => {
    const members = first ? [`"hooks":${t}${h}`, `"x":${v}`] : [`"x":${v}`, `"hooks":${t}${h}`];
    return `{${s}${members.join(`${t},${s}`)}${t}}${s}`;
  });
  fc.assert(
    fc.property(file, (text) => {
      const there = put(text);
      expect(back(there, text)).toBe(text);
    }),
    { numRuns: 200 },
  );
});
