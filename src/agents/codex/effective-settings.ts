// Computes the settings of a run in an existing thread. `thread/resume` would restore those of the run before, a bypass
// included, so each run sends all of them: its own, and for the rest what a new thread would get, or stricter ones where
// the run is limited. Asks Codex for its defaults and knows none of them.
import type { z } from 'zod';
import type { Peer } from '../wire/json-rpc.ts';
import type { FolderConfig } from './folder-config.ts';
import { type CodexSpec, SANDBOX_MODES } from './input.ts';
import { ThreadReply } from './protocol.ts';

type Sandbox = (typeof SANDBOX_MODES)[number];

/** Starts an ephemeral thread only to read its settings; Codex stores nothing of it. */
export async function effectiveSettings(
  { settings, atMost = {} }: CodexSpec,
  { config, servers }: FolderConfig,
  peer: Pick<Peer, 'request'>,
) {
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

/** A permission profile stays, unless the run is limited to less; one of unknown extent counts as the widest. */
function permissionsOf(reply: z.infer<typeof ThreadReply>, atMost: Sandbox | undefined) {
  const profile = reply.activePermissionProfile?.id;
  const sandbox = MODES[reply.sandbox?.type ?? ''];
  const known = sandbox ?? (profile ? 'danger-full-access' : 'read-only');
  const effective = stricter(sandboxRank, known, atMost);
  return profile && effective === known ? { permissions: profile } : { sandbox: effective };
}

/** The first, unless the second is stricter. */
const stricter = <T>(rank: (value: T) => number, own: T, atMost: T | undefined): T =>
  atMost !== undefined && rank(atMost) < rank(own) ? atMost : own;
const sandboxRank = (sandbox: Sandbox): number => SANDBOX_MODES.indexOf(sandbox);
/** By how much is done without asking: `untrusted` asks for every command, `never` for none. */
const policyRank = (policy: unknown): number => (policy === 'untrusted' ? 0 : policy === 'never' ? 2 : 1);

/** Keys may be whole paths, as `mcp_servers.demo.command`. */
const withoutServers = (config: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(config).filter(([name]) => !name.startsWith('mcp_servers.')));

/** MCP servers are to be started only for the thread that is used. */
function switchedOff(configured: readonly string[], given: unknown): Record<string, unknown> {
  const off = { enabled: false };
  const own = Object.entries(Object(given)).map(([name, server]) => [name, { ...Object(server), ...off }]);
  return { ...Object.fromEntries(configured.map((name) => [name, off])), ...Object.fromEntries(own) };
}

/** Codex reports a sandbox under other names than it accepts. */
const MODES: Record<string, Sandbox> = {
  readOnly: 'read-only',
  workspaceWrite: 'workspace-write',
  dangerFullAccess: 'danger-full-access',
};
