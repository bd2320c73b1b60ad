// The settings file of Amp: our permission rules in it, after the person's own, and out again byte for byte.
import { describe, expect, it } from 'vitest';
import { connector } from '../../../src/agents/amp/connect.ts';

const { connected, disconnected, isConnected, targets } = connector;
const TARGET = {
  program: '/opt/my tools/bin/holdpoint',
  url: 'http://127.0.0.1:4777',
  data: '/home/dev/data',
  token: '',
};
const OWN = { tool: 'Bash', matches: { cmd: 'git status*' }, action: 'allow' };
const style = (value: unknown, indent?: string) => JSON.stringify(value, undefined, indent);

describe('the permission rules of Holdpoint', () => {
  it('come after the rules of the person, and delegate what changes something to one program', () => {
    const after = JSON.parse(connected(style({ 'amp.permissions': [OWN], more: 1 }, '  '), TARGET));
    const [first, ...ours] = after['amp.permissions'];
    expect([first, after.more]).toEqual([OWN, 1]);
    expect(ours.map(({ tool }: { tool: string }) => tool)).toEqual(
      expect.arrayContaining(['Bash', 'shell_command', 'edit_file', 'create_file', 'apply_patch', 'mcp__*']),
    );
    for (const rule of ours)
      expect(rule).toMatchObject({
        action: 'delegate',
        to: '/opt/my tools/bin/holdpoint-amp-delegate',
        holdpoint: { url: 'http://127.0.0.1:4777', data: '/home/dev/data' },
      });
  });

  it('say where the delegate asks', () => {
    expect(targets(connected(undefined, TARGET))).toEqual([{ url: TARGET.url, data: TARGET.data }]);
    expect(targets('{}')).toEqual([]);
  });

  it.each([
    '{}',
    '{ }\n',
    '{\n}\n',
    style({ 'amp.permissions': [] }),
    style({ 'amp.permissions': [OWN], other: true }),
    style({ 'amp.permissions': [OWN, OWN] }, '\t'),
    style({ a: { b: [1] } }, '    '),
    '{\r\n  "a": 1,\r\n  "amp.permissions": [\r\n  ]\r\n}\r\n',
    '{\n  // a comment\n  "amp.url": "https://ampcode.com", /* another */\n  "amp.permissions": [\n    {"tool": "x", "action": "ask"} // mine\n  ]\n}\n',
  ])('come out of %j byte for byte', (text) => {
    const there = connected(text, TARGET);
    expect([isConnected(there), isConnected(text)]).toEqual([true, false]);
    expect(disconnected(there, text)).toBe(text);
  });

  it.each([undefined, ''])('come out of %j, which was no settings yet', (text) => {
    const there = connected(text, TARGET);
    expect(JSON.parse(there)['amp.permissions']).toHaveLength(18);
    expect(isConnected(disconnected(there))).toBe(false);
    if (text !== undefined) expect(disconnected(there, text)).toBe(text);
  });

  it('leave what the person changed meanwhile', () => {
    const there = connected(style({ 'amp.permissions': [OWN] }, '  '), TARGET);
    const changed = there.replace('git status*', 'git log*');
    expect(JSON.parse(disconnected(changed))).toEqual({
      'amp.permissions': [{ ...OWN, matches: { cmd: 'git log*' } }],
    });
  });

  it.each([
    '[',
    '[]',
    '7',
    '{"amp.permissions":{}}',
    '{"amp.permissions":[7]}',
    '{"amp.permissions":[],"amp.permissions":[]}',
  ])('are not added to %j, which is not understood', (text) => {
    expect(() => connected(text, TARGET)).toThrow(/no JSON|not as Amp documents|twice/);
  });

  it('are added once', () => expect(() => connected(connected('{}', TARGET), TARGET)).toThrow('disconnect first'));

  it('are in the file that Amp reads', () => {
    expect(connector.file({ HOME: '/home/dev' })).toBe('/home/dev/.config/amp/settings.json');
    expect(connector.file({ HOME: '/home/dev', XDG_CONFIG_HOME: '/srv/cfg' })).toBe('/srv/cfg/amp/settings.json');
    expect(connector.file({ AMP_SETTINGS_FILE: '/srv/amp.json' })).toBe('/srv/amp.json');
  });
});
