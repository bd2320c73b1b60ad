// `holdpoint connect codex` and `disconnect`, as a person types them; and the hook, which never allows anything by itself.
// Covers: src/cli/commands/connect.ts, src/cli/commands/hook.ts
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { recordPath } from '../../../src/cli/connect/connection-record.ts';
import { temporaryFolder } from '../../support/process.ts';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();
let home: string;
let data: string;
let env: Record<string, string>;
const run = (...args: string[]) => bed.run(args, { env });
beforeEach(() => {
  home = temporaryFolder();
  data = temporaryFolder();
  env = { CODEX_HOME: home, HOLDPOINT_DATA: data, HOLDPOINT_TOKEN: bed.server.token };
});

const hooks = () => join(home, 'hooks.json');
const record = () => recordPath(data, 'codex', { file: hooks() });
const odd = '{ "hooks" : {"Stop":[ {"hooks":[{"type":"command","command":"say done"}]} ]} }';

describe('connect codex', PATIENT, () => {
  it('writes the hook, says what else to do, and disconnect restores the file byte by byte', async () => {
    writeFileSync(hooks(), odd);
    const there = await run('connect', 'codex', '--yes');
    expect(there).toMatchObject({ code: 0, stderr: expect.stringContaining('/hooks') });
    expect(there.stdout).toContain('asking Holdpoint');
    const written = readFileSync(hooks(), 'utf8');
    expect(written).toContain(`hook codex --url ${bed.server.url} --data ${data}`);
    expect(JSON.parse(readFileSync(record(), 'utf8'))).toMatchObject({ file: hooks() });
    expect(await run('disconnect', 'codex', '--yes')).toMatchObject({ code: 0 });
    expect(readFileSync(hooks(), 'utf8')).toBe(odd);
    expect(existsSync(record())).toBe(false);
  });

  it('creates the file where there is none, and disconnect removes it', async () => {
    await run('connect', 'codex', '--yes');
    expect(existsSync(hooks())).toBe(true);
    await run('disconnect', 'codex', '--yes');
    expect(existsSync(hooks())).toBe(false);
  });

  it('does not change a file that it does not understand', async () => {
    writeFileSync(hooks(), '{"hooks": "mine"}');
    expect(await run('connect', 'codex', '--yes')).toMatchObject({ code: 4 });
    expect(readFileSync(hooks(), 'utf8')).toBe('{"hooks": "mine"}');
    expect(existsSync(record())).toBe(false);
  });

  const wanted = { session_id: 'x', turn_id: 't', cwd: '/', tool_name: 'Bash', tool_input: { command: 'ls' } };
  const request = JSON.stringify({ hook_event_name: 'PermissionRequest', ...wanted });

  /** The hook as it was written, with a server that is not there. */
  async function hookSays(payload: string, more: Record<string, string> = {}) {
    await run('connect', 'codex', '--yes');
    const { command } = JSON.parse(readFileSync(hooks(), 'utf8')).hooks.PermissionRequest[0].hooks[0];
    const nowhere = command.replace(bed.server.url, 'http://127.0.0.1:9');
    const given = { PATH: process.env.PATH, CODEX_HOME: home, ...more };
    return spawnSync('sh', ['-c', nowhere], { input: payload, encoding: 'utf8', env: given });
  }

  it.each([
    ['nonsense', 'not json', {}],
    ['another event', '{"hook_event_name":"Stop","session_id":"x","cwd":"/"}', {}],
    ['a run that Holdpoint hosts', request, { HOLDPOINT_RUN_ID: 'run_1' }],
  ])('writes a hook that prints nothing when there is nothing to decide: %s', async (_name, payload, more) => {
    writeFileSync(join(data, 'operator.token'), 'x');
    const { status, stdout } = await hookSays(payload, more);
    expect([status, stdout]).toEqual([0, '']);
  });

  it.each([
    ['no server', 'x'],
    ['no token', undefined],
  ])('writes a hook that denies when it cannot ask and Codex would not ask a person: %s', async (_name, token) => {
    if (token !== undefined) writeFileSync(join(data, 'operator.token'), token);
    const { status, stdout } = await hookSays(request);
    expect(status).toBe(0);
    expect(JSON.parse(stdout).hookSpecificOutput.decision.behavior).toBe('deny');
  });
});
