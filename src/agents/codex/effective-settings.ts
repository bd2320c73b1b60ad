// The settings of a run that goes on in a thread. `thread/resume` restores those of the run before, a bypass included. So
// each run sends all of them: its own, and for the rest what a fresh thread would get, or less where the run is held to
// less. Owns asking Codex for that; knows no default of Codex.
import type { z } from 'zod';
import type { Peer } from '../wire/json-rpc.ts';
import type { Configured } from './folder-config.ts';
import { type CodexSpec, SANDBOX_MODES } from './input.ts';
import { ThreadReply } from './protocol.ts';

type Sandbox = (typeof SANDBOX_MODES)[number];

export interface SettingsInForce {
  /** For `thread/resume`. */
  settings: Record<string, unknown>;
  reasoningEffort: string | null;
}

/** A thread is begun for its settings alone: no turn is taken in it, and Codex keeps nothing of it. */
export async function settingsInForce(
  { settings, atMost = {} }: CodexSpec,
  { config, servers }: Configured,
  peer: Pick<Peer, 'request'>,
): Promise<SettingsInForce> {
  const reply = ThreadReply.parse(
    await peer.request('thread/start', {
      ...settings,
      config: { ...withoutServers(config), mcp_servers: switchedOff(servers, config?.mcp_servers) },
      ephemeral: true,
    }),
  );
  await peer.request('thread/unsubscribe', { threadId: reply.thread.id });
  return {
    settings: {
      ...(config && { config }),
      model: reply.model,
      approvalPolicy: stricter(policyRank, reply.approvalPolicy, atMost.approvalPolicy),
      ...permissionsOf(reply, atMost.sandbox),
    },
    reasoningEffort: reply.reasoningEffort ?? null,
  };
}

/** A profile is kept as it is, unless the run is held to less than it allows, or nobody can tell. */
function permissionsOf(reply: z.infer<typeof ThreadReply>, atMost: Sandbox | undefined) {
  const profile = reply.activePermissionProfile?.id;
  const sandbox = MODES[reply.sandbox?.type ?? ''];
  const known = sandbox ?? (profile ? 'danger-full-access' : 'read-only');
  const held = stricter(sandboxRank, known, atMost);
  return profile && held === known ? { permissions: profile } : { sandbox: held };
}

/** The first, unless the second lets it do less. */
const stricter = <T>(rank: (value: T) => number, own: T, atMost: T | undefined): T =>
  atMost !== undefined && rank(atMost) < rank(own) ? atMost : own;
const sandboxRank = (sandbox: Sandbox): number => SANDBOX_MODES.indexOf(sandbox);
/** How much is done unasked: `untrusted` asks for every command, `never` for none. */
const policyRank = (policy: unknown): number => (policy === 'untrusted' ? 0 : policy === 'never' ? 2 : 1);

/** Settings may be named by whole paths, as `mcp_servers.demo.command`. */
const withoutServers = (config: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(config).filter(([name]) => !name.startsWith('mcp_servers.')));

/** Servers are started for the thread that is used, not for this one too. */
function switchedOff(configured: readonly string[], given: unknown): Record<string, unknown> {
  const off = { enabled: false };
  const own = Object.entries(Object(given)).map(([name, server]) => [name, { ...Object(server), ...off }]);
  return { ...Object.fromEntries(configured.map((name) => [name, off])), ...Object.fromEntries(own) };
}

/** Codex tells of a sandbox by other names than it takes. */
const MODES: Record<string, Sandbox> = {
  readOnly: 'read-only',
  workspaceWrite: 'workspace-write',
  dangerFullAccess: 'danger-full-access',
};
