// What Codex asks permission for, as approvals: commands, file changes, wider permissions, tools of MCP servers; and a
// decision as the answer Codex expects to each. Pure translation. Only an allow becomes one; every other end declines.
// Tools have the names that Codex's own hooks use, so that a rule means the same wherever it is applied.
import { hash } from 'node:crypto';
import type { z } from 'zod';
import type { ApprovalOutcome } from '../client/outcome.ts';
import type { ApproveSpec } from '../client/spec.ts';
import type {
  CommandApproval,
  Elicitation,
  FileApproval,
  Item,
  PermissionsApproval,
  ToolApprovalMeta,
} from './codex-protocol.ts';
import { unwrapShell } from './wire/shell-word.ts';

export type Decision = Pick<ApprovalOutcome, 'allowed' | 'input' | 'suggestion_ids'>;

export interface WantedApproval {
  kind: 'approval';
  id: string;
  spec: ApproveSpec;
  /** Where Codex can take an action as the person changed it; otherwise it is told and has to ask again. */
  takesChanges?: boolean;
  answer(decision: Decision): unknown;
}

/** Enough to read; the whole of it is bound by its hash. */
const DIFF_CHARACTERS = 400_000;

export function commandApproval(asked: z.infer<typeof CommandApproval>): WantedApproval {
  const { itemId, turnId, approvalId, reason, networkApprovalContext: network } = asked;
  const host = network ? { host: network.host, ...(network.protocol && { protocol: network.protocol }) } : undefined;
  const prefix = asked.proposedExecpolicyAmendment ?? undefined;
  const hosts = asked.proposedNetworkPolicyAmendments?.filter(({ action }) => action === 'allow') ?? [];
  const more = asked.additionalPermissions;
  const suggestions = [
    { id: 'session', label: 'Do not ask again for this command in this session' },
    ...(prefix?.length
      ? [{ id: 'prefix', label: `Always allow commands that begin with: ${prefix.join(' ')}`, prefix }]
      : []),
    ...hosts.map(({ host: name }, i) => ({
      id: `host-${i + 1}`,
      label: `Always allow connections to ${name}`,
      host: name,
    })),
  ];
  const answers: Record<string, unknown> = {
    prefix: { acceptWithExecpolicyAmendment: { execpolicy_amendment: prefix } },
    ...Object.fromEntries(
      hosts.map((amendment, i) => [
        `host-${i + 1}`,
        { applyNetworkPolicyAmendment: { network_policy_amendment: amendment } },
      ]),
    ),
    session: 'acceptForSession',
  };
  return {
    kind: 'approval',
    id: [itemId, ...(approvalId ? [approvalId] : [])].join(':') + turnOf(turnId),
    spec: {
      tool_name: host && !asked.command ? 'network' : 'Bash',
      input: {
        ...(asked.command && { command: unwrapShell(asked.command) }),
        ...(asked.kind && asked.kind !== 'command' && { kind: asked.kind }),
        ...(asked.cwd && { cwd: asked.cwd }),
        ...(host && { network: host }),
        ...(isGiven(more) && { additional_permissions: more }),
      },
      reason: reason ?? undefined,
      suggestions,
    },
    answer({ allowed, suggestion_ids }) {
      const taken = Object.keys(answers).find((id) => suggestion_ids.includes(id));
      return { decision: !allowed ? 'decline' : taken === undefined ? 'accept' : answers[taken] };
    },
  };
}

/** The request names an item; the change itself was in the notice that the item has begun. */
export function fileApproval(
  asked: z.infer<typeof FileApproval>,
  item: Item | undefined,
  folder: string | undefined,
): WantedApproval {
  const changes = (item?.changes ?? []).map((change) => insideOf(folder, change));
  const diff = changes.map(unified).join('\n');
  const files = changes.map(({ path, kind, diff: change }) => ({
    path,
    change: kind.type,
    ...(kind.move_path && { moved_to: kind.move_path }),
    sha256: hash('sha256', change, 'hex'),
  }));
  const cut = diff.length > DIFF_CHARACTERS ? `${diff.slice(0, DIFF_CHARACTERS)}\n… too long to be shown whole` : diff;
  return {
    kind: 'approval',
    id: asked.itemId + turnOf(asked.turnId),
    spec: {
      tool_name: 'apply_patch',
      input: {
        ...(files.length === 1 && { path: files[0]?.path }),
        files,
        ...(asked.grantRoot && { grant_root: asked.grantRoot }),
      },
      reason: asked.reason ?? (changes.length === 0 ? 'Codex did not say what it wants to change.' : undefined),
      ...(cut !== '' && { diff: cut }),
      suggestions: [{ id: 'session', label: 'Do not ask again for changes to these files in this session' }],
    },
    answer: ({ allowed, suggestion_ids }) => ({
      decision: !allowed ? 'decline' : suggestion_ids.includes('session') ? 'acceptForSession' : 'accept',
    }),
  };
}

type Change = NonNullable<Item['changes']>[number];

/** Files of the work folder by their names in it, all others by their whole path. */
function insideOf(folder: string | undefined, { path, kind, diff }: Change): Change {
  const within = (name: string) =>
    folder !== undefined && name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : name;
  return { path: within(path), diff, kind: kind.move_path ? { ...kind, move_path: within(kind.move_path) } : kind };
}

/** What is new or gone is there as a plain text; only what is changed comes as a diff, without the names of its files. */
function unified({ path, kind, diff }: Change): string {
  const text = diff.replace(/\n$/, '');
  const named = (side: string, name: string) => (name.startsWith('/') ? name : `${side}/${name}`);
  if (kind.type === 'update') {
    const head = /^(?:---|diff )/.test(text)
      ? ''
      : `--- ${named('a', path)}\n+++ ${named('b', kind.move_path ?? path)}\n`;
    return head + text;
  }
  const lines = text === '' ? [] : text.split('\n');
  const isAdded = kind.type === 'add';
  const range = isAdded ? `@@ -0,0 +1,${lines.length} @@` : `@@ -1,${lines.length} +0,0 @@`;
  const names = isAdded ? `--- /dev/null\n+++ ${named('b', path)}` : `--- ${named('a', path)}\n+++ /dev/null`;
  return [names, range, ...lines.map((line) => (isAdded ? '+' : '-') + line)].join('\n');
}

/** The answer is what is granted: all that was asked for, what the person left of it, or nothing. */
export function permissionsApproval(asked: z.infer<typeof PermissionsApproval>): WantedApproval {
  const { permissions, cwd, reason } = asked;
  return {
    kind: 'approval',
    id: asked.itemId + turnOf(asked.turnId),
    spec: {
      tool_name: 'request_permissions',
      input: { permissions, ...(cwd && { cwd }) },
      reason: reason ?? undefined,
      suggestions: [{ id: 'session', label: 'For the whole session, not only for this turn' }],
    },
    takesChanges: true,
    answer: ({ allowed, input, suggestion_ids }) => ({
      permissions: allowed && isObject(input.permissions) ? input.permissions : {},
      scope: allowed && suggestion_ids.includes('session') ? 'session' : 'turn',
    }),
  };
}

/** Codex asks for a tool of an MCP server in the form of an elicitation; which tool is in the item that has begun. */
export function toolApproval(
  asked: z.infer<typeof Elicitation>,
  meta: z.infer<typeof ToolApprovalMeta>,
  id: string,
  item: Item | undefined,
): WantedApproval {
  const persist = [meta.persist ?? []].flat();
  const tool = item?.tool ?? /tool "([^"]+)"/.exec(asked.message ?? '')?.[1] ?? 'tool';
  const given = meta.tool_params ?? item?.arguments;
  const labels: Record<string, string> = {
    session: 'Do not ask again for this tool in this session',
    always: 'Never ask again for this tool; Codex keeps that in its configuration',
  };
  return {
    kind: 'approval',
    id,
    spec: {
      tool_name: `mcp__${asked.serverName}__${tool}`,
      input: isObject(given) ? given : {},
      reason: asked.message ?? undefined,
      suggestions: persist.map((how) => ({ id: how, label: labels[how] ?? how })),
    },
    answer({ allowed, suggestion_ids }) {
      const kept = ['always', 'session'].find((how) => persist.includes(how) && suggestion_ids.includes(how));
      return {
        action: allowed ? 'accept' : 'decline',
        content: allowed ? {} : null,
        _meta: allowed && kept ? { persist: kept } : null,
      };
    },
  };
}

/** An elicitation without a form to fill in: a page to visit, or a yes. */
export function consent(asked: z.infer<typeof Elicitation>, id: string): WantedApproval {
  const { serverName, message, url } = asked;
  return {
    kind: 'approval',
    id,
    spec: {
      tool_name: `mcp__${serverName}`,
      input: { ...(message && { message }), ...(url && { url }) },
      reason: url ? `The MCP server ${serverName} asks you to open a page.` : `The MCP server ${serverName} asks.`,
    },
    answer: ({ allowed }) => ({ action: allowed ? 'accept' : 'decline', content: allowed ? {} : null, _meta: null }),
  };
}

/** A call id is unique in its turn. */
export const turnOf = (turnId: string | null | undefined): string => (turnId ? `@${turnId}` : '');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
