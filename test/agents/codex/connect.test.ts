// The hooks file of Codex: our hook in it, beside whatever else is there, and out again.
import { describe, expect, it } from 'vitest';
import { connector } from '../../../src/agents/codex/connect.ts';

const { connected, disconnected, isConnected } = connector;

const PLACE = {
  program: '/opt/my tools/holdpoint',
  url: 'http://127.0.0.1:4777',
  data: "/home/lead/it's here",
  token: '',
};
const OTHER = { matcher: 'Bash', hooks: [{ type: 'command', command: 'other hook codex', timeout: 5 }] };
const style = (value: unknown, indent: string) => JSON.stringify(value, undefined, indent);

describe('the hook of Holdpoint', () => {
  it('is added beside others, quoted for a shell, with its own time limit', () => {
    const text = style({ hooks: { PermissionRequest: [OTHER], Stop: [OTHER] }, more: 1 }, '    ');
    const after = JSON.parse(connected(text, PLACE));
    expect(after.more).toBe(1);
    expect(after.hooks.Stop).toEqual([OTHER]);
    expect(after.hooks.PermissionRequest).toEqual([
      OTHER,
      {
        matcher: '*',
        hooks: [
          {
            type: 'command',
            command: `'/opt/my tools/holdpoint' hook codex --url http://127.0.0.1:4777 --data '/home/lead/it'\\''s here'`,
            timeout: 43_200,
            statusMessage: 'asking Holdpoint',
          },
        ],
      },
    ]);
  });

  it.each([undefined, '', '{}', style({ hooks: { Stop: [OTHER] } }, '\t'), '{"a":1,\r\n"hooks":{}}\r\n'])(
    'comes out of %j as it went in',
    (text) => {
      const there = connected(text, PLACE);
      expect([isConnected(there), isConnected(disconnected(there))]).toEqual([true, false]);
      const { hooks: before = {}, ...rest } = JSON.parse(text || '{}');
      const { hooks: after = {}, ...others } = JSON.parse(disconnected(there));
      expect([after, others]).toEqual([before, rest]);
    },
  );

  it.each(['[', '[]', '7', '{"hooks":[]}', '{"hooks":{"Stop":{}}}', '{"hooks":{"Stop":[{"hooks":[7]}]}}'])(
    'refuses %j',
    (text) => {
      expect(() => connected(text, PLACE)).toThrow(/no JSON|not as Codex documents/);
    },
  );

  it('is added once', () => expect(() => connected(connected('{}', PLACE), PLACE)).toThrow('disconnect first'));
});
