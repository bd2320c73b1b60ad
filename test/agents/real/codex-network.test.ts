// What the real Codex asks only where it is told to: connections, when the machine's administrator has it manage the
// network, and input to terminals. The administrator's file lies in /etc, so Codex sees an /etc of its own here; where
// the system does not let us make one, those tests are skipped by name.
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalRequest, AskView, RunView } from '../../../src/core/views.ts';
import { codex, codexVersion } from './binaries.ts';
import { CodexTestBed, escalated, readIfThere } from './codex-test-bed.ts';
import type { Told } from './model-openai.ts';

let c: CodexTestBed;
const OWN_ETC = 'mount -t overlay overlay -o lowerdir="$HOLDPOINT_ETC:/etc" /etc';
const hasOwnEtc =
  spawnSync('unshare', ['-rm', 'sh', '-c', OWN_ETC], { env: { ...process.env, HOLDPOINT_ETC: '/var' } }).status === 0;
const hasCurl = spawnSync('curl', ['--version']).status === 0;

const CONFIG = `[features]
network_proxy = true
write_stdin_approval = true`;
/** The workspace, and the network as far as it is asked for. */
const NET_PROFILE = { extends: ':workspace', network: { enabled: true, mode: 'full', allow_local_binding: true } };
const REQUIREMENTS = '[experimental_network]\nenabled = true\nallow_local_binding = true\n';

beforeAll(async () => {
  if (!codex) return;
  c = await CodexTestBed.open(() => CONFIG);
  if (hasOwnEtc) giveOwnEtc();
});
afterAll(async () => {
  if (!codex) return;
  expect(c.model.others).toEqual([]);
  await c.close();
});

/** `codex` in the PATH becomes one that sees the administrator's file. */
function giveOwnEtc(): void {
  const program = join(c.root, 'bin', 'codex');
  renameSync(program, `${program}-real`);
  mkdirSync(join(c.root, 'etc', 'codex'), { recursive: true });
  writeFileSync(join(c.root, 'etc', 'codex', 'requirements.toml'), REQUIREMENTS);
  const inside = `${OWN_ETC} && exec "$0" "$@"`;
  writeFileSync(
    program,
    `#!/bin/sh\nHOLDPOINT_ETC='${join(c.root, 'etc')}' exec unshare -rm sh -c '${inside}' '${program}-real' "$@"\n`,
    { mode: 0o755 },
  );
}

const requestOf = (ask: AskView) => ask.request as ApprovalRequest;
const DONE = [{ text: 'Done.' }];

/** What a connection that was allowed comes to: there is no such host. */
const TRIED = /upstream failure/;

describe.skipIf(!codex || !hasOwnEtc || !hasCurl)(`Codex ${codexVersion} asks to connect`, () => {
  const NET = { sandbox: undefined, config: { default_permissions: 'net', permissions: { net: NET_PROFILE } } };
  const visit = (host: string, id: string) => ({
    call: 'exec_command',
    id,
    input: { cmd: `curl -sS -m 25 http://${host}/${id}`, yield_time_ms: 30_000 },
  });
  const shown = async (run: RunView) => {
    const ask = await c.asked(run);
    return { ask, network: requestOf(ask).input.network };
  };

  it('once: the next time it is asked again, and the model hears why not', async () => {
    const script = [[visit('one.invalid', 'call_1')], [visit('one.invalid', 'call_2')], DONE];
    const run = await c.start('network-once', script, NET);
    const { ask } = await shown(run);
    expect(requestOf(ask)).toMatchObject({
      tool_name: 'network',
      input: { network: { host: 'one.invalid', protocol: 'http', port: 80 } },
      suggestions: [
        { id: 'session', label: 'Do not ask again for connections to one.invalid while this Codex runs' },
        { id: 'host-1', host: 'one.invalid' },
      ],
    });
    await c.bed.decide(ask, { behavior: 'allow' });
    const again = await shown(run);
    await c.bed.decide(again.ask, { behavior: 'deny', reason: 'once is enough' });
    await c.over(run);
    expect(c.model.resultOf('network-once', 'call_1')).toMatch(TRIED);
    expect(c.model.resultOf('network-once', 'call_2')).toContain('rejected by user');
    expect(c.model.heard('network-once').at(-1)).toBe('The person said no: once is enough');
  });

  it('for the session or for ever: no other host is meant', async () => {
    const script = [
      [visit('one.invalid', 'call_1')],
      [visit('one.invalid', 'call_2')],
      [visit('two.invalid', 'call_3')],
      [visit('two.invalid:81', 'call_4')],
      [visit('three.invalid', 'call_5')],
      DONE,
    ];
    const run = await c.start('network-kept', script, NET);
    await c.bed.decide((await shown(run)).ask, { behavior: 'allow', suggestion_ids: ['session'] });
    const two = await shown(run);
    expect(two.network).toEqual({ host: 'two.invalid', protocol: 'http', port: 80 });
    await c.bed.decide(two.ask, { behavior: 'allow', suggestion_ids: ['host-1'] });
    const three = await shown(run);
    expect(three.network).toMatchObject({ host: 'three.invalid' });
    await c.bed.decide(three.ask, { behavior: 'deny' });
    await c.over(run);
    for (const id of ['call_1', 'call_2', 'call_3', 'call_4'])
      expect(c.model.resultOf('network-kept', id)).toMatch(TRIED);
    expect(c.model.resultOf('network-kept', 'call_5')).toContain('rejected by user');
  });
});

describe.skipIf(!codex)(`Codex ${codexVersion} asks to type into a terminal that it has open`, () => {
  /** Into the terminal that the call before opened. */
  const typed = (chars: string, id: string) => (told: Told) => {
    const session = /session ID (\d+)/.exec(JSON.stringify(told.input))?.[1];
    return [{ call: 'write_stdin', id, input: { session_id: Number(session), chars, yield_time_ms: 500 } }];
  };

  it('once for each text, shown with the terminal it goes to', async () => {
    const folder = c.folder();
    const terminal = escalated('cat > typed.txt');
    const open = [{ ...terminal, input: { ...terminal.input, tty: true, yield_time_ms: 300 } }];
    const script = [open, typed('one\n', 'call_1'), typed('two\n\u0004', 'call_2'), typed('\u0004', 'call_3'), DONE];
    const run = await c.start('terminal', script, {}, folder);
    await c.bed.decide(await c.asked(run), { behavior: 'allow' });
    const ask = await c.asked(run);
    const { tool_name, input, suggestions, reason } = requestOf(ask);
    expect(tool_name).toBe('write_stdin');
    expect(input).toMatchObject({ terminal: 'cat > typed.txt', cwd: folder });
    expect(input.command).toMatch(/^write_stdin --session-id \d+ 'one\n'$/);
    expect(suggestions ?? []).toEqual([]);
    expect(reason).toContain('outside the sandbox');
    await c.bed.decide(ask, { behavior: 'allow' });
    await c.bed.decide(await c.asked(run), { behavior: 'deny', reason: 'one is enough' });
    await c.bed.decide(await c.asked(run), { behavior: 'allow' });
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect(readIfThere(folder, 'typed.txt')).toBe('one\n');
    expect(c.model.resultOf('terminal', 'call_2')).toMatch(/reject/i);
    expect(c.model.heard('terminal').at(-1)).toBe('The person said no: one is enough');
  });
});
