// A person's Claude Code settings with Holdpoint's hooks and without: what was there stays, what is not understood is
// refused, every hook has a time limit and says what its failure does.
import { describe, expect, it } from 'vitest';
import { connector } from '../../../src/agents/claude/connect.ts';

const { connected, disconnected, isConnected: hasHooks, shown } = connector;

const DOOR = { url: 'http://127.0.0.1:4777', token: 'hp_secret', data: '/state', program: 'holdpoint' };
const OWN = {
  model: 'opus',
  permissions: { allow: ['Bash(ls *)'] },
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'check.sh' }] }] },
};

describe('connected', () => {
  it('adds a hook for each event, with a limit and what a failure does', () => {
    const { hooks } = JSON.parse(connected(undefined, DOOR));
    const { PermissionRequest, ...reports } = hooks;
    for (const groups of Object.values(reports) as { hooks: object[] }[][]) {
      expect(groups).toEqual([
        {
          hooks: [
            {
              type: 'http',
              url: 'http://127.0.0.1:4777/v1/hooks/claude',
              timeout: expect.any(Number),
              onFailure: 'continue',
              headers: { Authorization: 'Bearer hp_secret', 'Holdpoint-Run': '$HOLDPOINT_RUN_ID' },
              allowedEnvVars: ['HOLDPOINT_RUN_ID'],
            },
          ],
        },
      ]);
    }
    expect(hooks.PostToolUse[0].hooks[0].timeout).toBeLessThan(10);
    const command = 'exec holdpoint hook claude --url http://127.0.0.1:4777 --data /state';
    expect(PermissionRequest).toEqual([{ hooks: [{ type: 'command', command, timeout: 43_200 }] }]);
  });

  it('keeps everything else, in the style of the file', () => {
    const text = JSON.stringify(OWN, undefined, '\t').replaceAll('\n', '\r\n');
    const changed = connected(text, DOOR);
    const { hooks, ...rest } = JSON.parse(changed);
    expect(rest).toEqual({ model: 'opus', permissions: OWN.permissions });
    expect(hooks.PreToolUse[0]).toEqual(OWN.hooks.PreToolUse[0]);
    expect(hooks.PreToolUse).toHaveLength(2);
    expect(changed).toMatch(/^\{\r\n\t"model"/);
    expect(changed).not.toMatch(/[^\r]\n/);
    expect(disconnected(changed)).toBe(text);
  });

  it.each([
    ['{"a": 1,}', /no JSON/],
    ['// mine\n{}', /no JSON/],
    ['[]', /not as Claude Code documents/],
    ['"text"', /not as Claude Code documents/],
    ['{"hooks": []}', /not as Claude Code documents/],
    ['{"hooks": {"Stop": {}}}', /not as Claude Code documents/],
    ['{"hooks": {"Stop": [{"hooks": "x"}]}}', /not as Claude Code documents/],
    ['{"disableAllHooks": true}', /disableAllHooks/],
    ['{"allowedHttpHookUrls": []}', /allowedHttpHookUrls/],
    ['{"allowedHttpHookUrls": ["http://127.0.0.1:4778/*", "http://127.0.0.1:4777", "*/v1"]}', /add "http:.*4777\/\*"/],
    ['{"httpHookAllowedEnvVars": ["HOME"]}', /add "HOLDPOINT_RUN_ID"/],
    [connected('{}', DOOR), /already/],
  ])('refuses %j', (text, why) => {
    expect(() => connected(text, DOOR)).toThrow(why);
  });
});

it.each(['http://127.0.0.1:4777/*', '*', 'http://127.0.0.1:4777/v1/hooks/claude', 'http://*:4777/*/claude'])(
  'takes a list of allowed addresses with %s in it',
  (pattern) => {
    const text = JSON.stringify({
      allowedHttpHookUrls: ['https://a/*', pattern],
      httpHookAllowedEnvVars: ['HOLDPOINT_RUN_ID'],
    });
    expect(hasHooks(connected(text, DOOR))).toBe(true);
  },
);

it('is shown with every event and without the token', () => {
  const there = connected(undefined, DOOR);
  const seen = shown(there);
  expect([there.match(/hp_secret/g)?.length, seen.includes('hp_secret')]).toEqual([10, false]);
  for (const event of Object.keys(JSON.parse(there).hooks)) expect(seen).toContain(event);
  expect(seen.split('\n').length).toBeLessThan(50);
});

describe('disconnected', () => {
  it('takes out what an earlier release wrote, a permission request by HTTP', () => {
    const earlier = JSON.parse(connected(JSON.stringify(OWN), DOOR));
    earlier.hooks.PermissionRequest = earlier.hooks.Stop;
    expect(JSON.parse(disconnected(JSON.stringify(earlier)))).toEqual(OWN);
  });

  it('takes out our hooks and nothing else', () => {
    const changed = connected(JSON.stringify(OWN), DOOR);
    expect(hasHooks(changed)).toBe(true);
    expect(JSON.parse(disconnected(changed))).toEqual(OWN);
    expect(JSON.parse(disconnected(connected(undefined, DOOR)))).toEqual({});
    const beside = JSON.parse(changed);
    beside.hooks.Stop[0].hooks.push({ type: 'command', command: 'mine.sh' });
    const left = JSON.parse(disconnected(JSON.stringify(beside)));
    expect(left.hooks).toEqual({ ...OWN.hooks, Stop: [{ hooks: [{ type: 'command', command: 'mine.sh' }] }] });
    expect(hasHooks(JSON.stringify(left))).toBe(false);
  });
});
