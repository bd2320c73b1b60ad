// The settings of a Codex run: unknown ones are refused, and a run made of thread posts inherits the restrictions of the run
// before it, but none of its permissions.
// Covers: src/agents/codex/effective-settings.ts, src/agents/codex/inherited-config.ts
import { describe, expect, it } from 'vitest';
import { effectiveSettings } from '../../../src/agents/codex/effective-settings.ts';
import { readCodexInput } from '../../../src/agents/codex/input.ts';

it('refuses a setting that is misspelled', () => {
  const problem = expect.stringMatching(/did you mean approval_policy\?/);
  expect(readCodexInput({ text: 'go', approvalPolicy: 'never' })).toEqual({ problem });
});

it('takes the sandbox as Codex spells it, and once', () => {
  expect(readCodexInput({ text: 'go', sandboxMode: 'read-only' })).toMatchObject({
    settings: { sandbox: 'read-only' },
  });
  const problem = expect.stringContaining('Name the sandbox once');
  expect(readCodexInput({ text: 'go', sandboxMode: 'read-only', sandbox: 'workspace-write' })).toEqual({ problem });
});

describe('a run made of thread posts', () => {
  /** The settings of a run after one with `before`, where Codex's own defaults are `own`. */
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
  ])('after %j, with the defaults %j, runs under %j', async (before, own, [sandbox, approvalPolicy]) => {
    expect(await settings(before, own)).toMatchObject({ sandbox, approvalPolicy });
  });

  it.each([[true], [false], [undefined]])('inherits trust_folder %s', async (trustsFolder) => {
    const before = trustsFolder === undefined ? {} : { trust_folder: trustsFolder };
    expect(await settings(before, free)).toMatchObject({ trustsFolder });
  });

  it('inherits the configuration without its permissions', async () => {
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

  it('stays in plan mode and read-only', () => {
    const spec = readCodexInput({ text: 'on' }, { text: 'go', mode: 'plan', model: 'small', skills: ['a'] });
    expect(spec).toMatchObject({ mode: 'plan', skills: ['a'], settings: { sandbox: 'read-only', model: 'small' } });
  });
});
