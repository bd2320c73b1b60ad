// The settings of a run that goes on in a thread. Codex would take up those of the run before, whatever that was allowed;
// a run has what it names itself, and for the rest what a new thread would have. Owns asking Codex for that; knows no
// default of Codex.
import { z } from 'zod';
import type { CodexSpec } from './codex-input.ts';
import { ThreadReply } from './codex-protocol.ts';
import type { Peer } from './wire/jsonrpc.ts';

export interface SettingsInForce {
  /** For `thread/resume`. */
  settings: Record<string, unknown>;
  reasoningEffort: string | null;
}

/** A thread is begun for its settings alone: no turn is taken in it, and Codex keeps nothing of it. */
export async function settingsInForce(
  { settings }: CodexSpec,
  folder: string | undefined,
  peer: Pick<Peer, 'request'>,
): Promise<SettingsInForce> {
  const servers = ConfigReply.parse(await peer.request('config/read', { cwd: folder })).config.mcp_servers ?? {};
  const reply = ThreadReply.parse(
    await peer.request('thread/start', {
      cwd: folder,
      ...settings,
      config: { ...settings.config, mcp_servers: switchedOff(servers, settings.config?.mcp_servers) },
      ephemeral: true,
    }),
  );
  await peer.request('thread/unsubscribe', { threadId: reply.thread.id });
  const profile = reply.activePermissionProfile?.id;
  return {
    settings: {
      ...(settings.config && { config: settings.config }),
      model: reply.model,
      approvalPolicy: reply.approvalPolicy,
      ...(profile ? { permissions: profile } : { sandbox: MODES[reply.sandbox?.type ?? ''] ?? 'read-only' }),
    },
    reasoningEffort: reply.reasoningEffort ?? null,
  };
}

const ConfigReply = z.looseObject({
  config: z.looseObject({ mcp_servers: z.record(z.string(), z.unknown()).nullish() }),
});

/** Servers are started for the thread that is used, not for this one too. */
function switchedOff(configured: Record<string, unknown>, given: unknown): Record<string, unknown> {
  const off = { enabled: false };
  const own = Object.entries(Object(given)).map(([name, server]) => [name, { ...Object(server), ...off }]);
  return { ...Object.fromEntries(Object.keys(configured).map((name) => [name, off])), ...Object.fromEntries(own) };
}

/** Codex tells of a sandbox by other names than it takes. */
const MODES: Record<string, string> = {
  readOnly: 'read-only',
  workspaceWrite: 'workspace-write',
  dangerFullAccess: 'danger-full-access',
};
