// A message after a run is the same conversation going on: it is held to what that run was held to, and is allowed nothing
// that was allowed for that run alone.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readClaudeInput } from '../../../src/agents/claude/input.ts';
import { effectiveSettings } from '../../../src/agents/codex/effective-settings.ts';
import { readCodexInput } from '../../../src/agents/codex/input.ts';
import { standInForAll } from '../stand-in.ts';

const standIn = standInForAll('stand-in-claude.mjs');

const session_id = '6903f262-c0ff-869b-a74d-688697aa1e33';
const begun = [
  { say: { type: 'control_response', response: { request_id: 'initialize' } } },
  { say: { type: 'system', subtype: 'init', session_id } },
];
const over = { say: { type: 'result', subtype: 'success', is_error: false, session_id, stop_reason: 'end_turn' } };
const PLAN = { tool_name: 'ExitPlanMode', input: { plan: 'Paint it.' }, tool_use_id: 'toolu_plan' };
const plans = [
  { say: { type: 'control_request', request_id: 'plan', request: { subtype: 'can_use_tool', ...PLAN } } },
  { hear: '"plan"' },
];

let made = 0;
/** Runs with these inputs, each over before the next; a text alone is posted. Returns how each was started. */
async function started(inputs: (string | Record<string, unknown>)[], first: object[] = []): Promise<string[][]> {
  const folder = join(standIn.root, `w${made++}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'script.json'), JSON.stringify([...begun, ...first, over]));
  writeFileSync(join(folder, 'resumed.json'), JSON.stringify([...begun, over]));
  const { api } = standIn.stage;
  const session = await api.sessions.create({ agent: 'claude', work_folder: folder });
  for (const input of inputs) {
    const run =
      typeof input === 'string'
        ? await api.sessions.say(session.session_id, { text: input })
        : await api.runs.start(session.session_id, { input: { text: 'go', ...input } });
    if (first.length > 0 && input === inputs[0]) {
      const [ask] = await standIn.stage.pending(session.session_id);
      if (ask) await standIn.stage.decide(ask, { behavior: 'allow' });
    }
    await standIn.stage.over(run.run_id);
  }
  const lines = readFileSync(join(folder, 'started.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as string[]);
}
const modeOf = (argv: string[] | undefined) => argv?.[argv.indexOf('--permission-mode') + 1];
const trusts = (argv: string[] | undefined) => !argv?.includes('--strict-mcp-config');

describe('a message to Claude Code', () => {
  it('goes on as the last run that said how, also behind other messages and runs that never began', async () => {
    const strict = { trust_folder: false, permission_mode: 'plan', model: 'haiku' };
    const [, , second, ...none] = await started([strict, 'one', { 'trust-folder': true }, 'two']);
    expect(none).toEqual([]);
    expect([modeOf(second), trusts(second), second?.includes('haiku')]).toEqual(['plan', false, true]);
  });

  it('is not allowed what a run was, and a run has what it says itself', async () => {
    const [free, posted, , bare] = await started([
      { permission_mode: 'bypassPermissions', trust_folder: false },
      'go on',
      { permission_mode: 'plan', trust_folder: false },
      {},
    ]);
    expect([modeOf(free), modeOf(posted), trusts(posted)]).toEqual(['bypassPermissions', 'default', false]);
    expect([modeOf(bare), trusts(bare)]).toEqual(['default', true]);
  });

  it('is past a plan that was allowed', async () => {
    const [first, posted] = await started([{ permission_mode: 'plan' }, 'now the door'], plans);
    expect([modeOf(first), modeOf(posted)]).toEqual(['plan', 'default']);
  });
});

describe('an input', () => {
  it.each([
    [
      readClaudeInput,
      { trustFolder: false },
      /"trustFolder" is no setting.*did you mean trust_folder\?.*known are text, /,
    ],
    [readClaudeInput, { 'trust-folder': false, x: 1 }, /"trust-folder", "x" are no settings.*trust_folder/],
    [readClaudeInput, { permission_mode: 'plan', permissionMode: 'default' }, /once/],
    [readCodexInput, { approvalPolicy: 'never' }, /did you mean approval_policy\?/],
  ])('that misspells what it forbids is refused', (read, input, expected) => {
    expect(read({ text: 'go', ...input })).toEqual({ problem: expect.stringMatching(expected) });
  });

  it('names the permission mode of Claude Code as that does, too', () => {
    expect(readClaudeInput({ text: 'go', permissionMode: 'plan' })).toMatchObject({ mode: 'plan' });
    const carried = { text: 'go', permissionMode: 'acceptEdits', hold: 'everything', skills: ['a'] };
    expect(readClaudeInput({ text: 'on' }, carried)).toMatchObject({
      text: 'on',
      mode: 'default',
      hold: 'everything',
      skills: ['a'],
    });
  });
});

describe('a message to Codex', () => {
  /** The settings of a message after `before`, where a thread that names none would have `own`. */
  async function settings(before: object, own: object) {
    const spec = readCodexInput({ text: 'on' }, { text: 'go', ...before });
    if ('problem' in spec) throw new Error(spec.problem);
    const peer = { request: async () => ({ thread: { id: 't' }, model: 'm', ...own }) };
    const { config } = spec.settings;
    const { settings } = await effectiveSettings(spec, { config, servers: [] }, peer);
    return { ...settings, mode: spec.mode, trustsFolder: spec.trustsFolder };
  }
  const free = { approvalPolicy: 'never', sandbox: { type: 'dangerFullAccess' } };
  const strict = { approvalPolicy: 'untrusted', sandbox: { type: 'readOnly' } };

  it.each([
    [{ sandbox: 'workspace-write', approval_policy: 'on-request' }, free, ['workspace-write', 'on-request']],
    [{ full_auto: true }, free, ['workspace-write', 'on-request']],
    [{ config: { sandbox_mode: 'read-only' } }, free, ['read-only', 'never']],
    [{ sandbox: 'read-only' }, { ...free, activePermissionProfile: { id: 'mine' } }, ['read-only', 'never']],
    [{ dangerously_bypass_approvals_and_sandbox: true }, strict, ['read-only', 'untrusted']],
    [{ full_auto: true }, strict, ['read-only', 'untrusted']],
    [{}, free, ['danger-full-access', 'never']],
  ])('after %j, with %j of its own, has %j', async (before, own, [sandbox, approvalPolicy]) => {
    expect(await settings(before, own)).toMatchObject({ sandbox, approvalPolicy });
  });

  it.each([[true], [false], [undefined]])('trusts the folder as the run before did: %s', async (trustsFolder) => {
    const before = trustsFolder === undefined ? {} : { trust_folder: trustsFolder };
    expect(await settings(before, free)).toMatchObject({ trustsFolder });
  });

  it('goes on with the rest of the configuration, but for what it allows', async () => {
    const config = {
      model_reasoning_effort: 'high',
      web_search: 'disabled',
      'features.unified_exec': false,
      sandbox_mode: 'danger-full-access',
      approval_policy: 'never',
      approvals_reviewer: 'auto_review',
      bypass_hook_trust: true,
      'projects./srv.trust_level': 'trusted',
      default_permissions: 'mine',
      permissions: { mine: { network: { enabled: true } } },
      sandbox_workspace_write: { network_access: true, writable_roots: ['/srv'], exclude_slash_tmp: true },
      'sandbox_workspace_write.exclude_tmpdir_env_var': true,
      mcp_servers: {
        demo: {
          command: 'demo',
          default_tools_approval_mode: 'approve',
          tools: { plain: { approval_mode: 'approve' } },
        },
        other: { url: 'https://other.test', default_tools_approval_mode: 'prompt' },
      },
      'mcp_servers.third.command': 'third',
      'mcp_servers.third.default_tools_approval_mode': 'auto',
    };
    const strictest = { sandbox: 'read-only', approvalPolicy: 'untrusted' };
    expect(await settings({ config }, strict)).toMatchObject({
      ...strictest,
      config: {
        model_reasoning_effort: 'high',
        web_search: 'disabled',
        'features.unified_exec': false,
        sandbox_workspace_write: { exclude_slash_tmp: true },
        'sandbox_workspace_write.exclude_tmpdir_env_var': true,
        mcp_servers: {
          demo: { command: 'demo' },
          other: { url: 'https://other.test', default_tools_approval_mode: 'prompt' },
        },
        'mcp_servers.third.command': 'third',
      },
    });
    const forbids = { sandbox_workspace_write: { network_access: false } };
    expect(await settings({ config: forbids }, strict)).toMatchObject({ config: forbids });
  });

  it('stays in plan mode, which changes nothing', () => {
    const spec = readCodexInput({ text: 'on' }, { text: 'go', mode: 'plan', model: 'small', skills: ['a'] });
    expect(spec).toMatchObject({ mode: 'plan', skills: ['a'], settings: { sandbox: 'read-only', model: 'small' } });
  });
});
