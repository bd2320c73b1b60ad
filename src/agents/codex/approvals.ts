// What Codex asks permission for, as approvals: commands, input to terminals, connections, wider permissions, tools of
// MCP servers; and a decision as the answer Codex expects to each. Pure translation. Only an allow becomes one; every
// other end declines. Tools have the names that Codex's own hooks use, so that a rule means the same wherever it is
// applied. Changes of files have a file of their own.
import type { z } from 'zod';
import type { ApprovalOutcome } from '../../client/outcome.ts';
import type { ApproveSpec } from '../../client/spec.ts';
import type { Consent } from '../kit/elicitation.ts';
import { shellWord, unwrapShell } from '../wire/shell-words.ts';
import { isTheGrant, type ToldCall } from './delivery-evidence.ts';
import type { CommandApproval, Elicitation, Item, PermissionsApproval, ToolApprovalMeta } from './protocol.ts';

export type Decision = Pick<ApprovalOutcome, 'allowed' | 'input' | 'suggestion_ids'>;

export interface WantedApproval {
  kind: 'approval';
  id: string;
  spec: ApproveSpec;
  /** The item whose end shows whether it was allowed; undefined where none does. */
  itemId?: string | undefined;
  /** The call in whose result the model is told what was decided; undefined where it is told nothing. */
  call?: ToldCall | undefined;
  /** Where Codex can take an action as the person changed it; otherwise it is told and has to ask again. */
  takesChanges?: boolean;
  answer(decision: Decision): unknown;
}

const UNKNOWN_TERMINAL = 'unknown: it was opened before this turn';

/** Undefined: it says neither what would run nor where it would connect, so there is nothing to decide upon. */
export function commandApproval(
  asked: z.infer<typeof CommandApproval>,
  terminal: Item | undefined,
): WantedApproval | undefined {
  const { itemId, turnId, approvalId, command, reason, networkApprovalContext: network } = asked;
  if (!command && !network) return undefined;
  const isInput = asked.kind === 'writeStdin';
  const more = asked.additionalPermissions;
  const keeps = isInput ? [] : keepsOf(asked);
  return {
    kind: 'approval',
    itemId: isInput || network || approvalId ? undefined : itemId,
    id: [itemId, ...(approvalId ? [approvalId] : [])].join(':') + turnOf(turnId),
    spec: {
      tool_name: isInput ? 'write_stdin' : command ? 'Bash' : 'network',
      input: {
        ...(command && { command: unwrapShell(command) }),
        ...(isInput && { terminal: terminal?.command ? unwrapShell(terminal.command) : UNKNOWN_TERMINAL }),
        ...(asked.cwd && { cwd: asked.cwd }),
        ...(network && { network: { ...network, ...portOf(itemId) } }),
        ...(isGiven(more) && { additional_permissions: more }),
      },
      reason: reason ?? undefined,
      ...(keeps.length > 0 && { suggestions: keeps.map(({ suggestion }) => suggestion) }),
    },
    answer({ allowed, suggestion_ids }) {
      if (!allowed) return { decision: 'decline' };
      return { decision: keeps.find(({ suggestion }) => suggestion_ids.includes(suggestion.id))?.decision ?? 'accept' };
    },
  };
}

/** The id of what Codex offers where it would keep a rule. */
export const PREFIX = 'prefix';

/** Of a connection the port stands only in the name of its item: `network#local#https#example.com#443#…`. */
function portOf(itemId: string): { port?: number } {
  const port = /^network#[^#]*#[^#]*#[^#]*#(\d+)#/.exec(itemId)?.[1];
  return port === undefined ? {} : { port: Number(port) };
}

/** What Codex offers to allow beyond this once, in its own words for the answer; the shortest first. */
function keepsOf({ command, networkApprovalContext, ...asked }: z.infer<typeof CommandApproval>) {
  const prefix = asked.proposedExecpolicyAmendment ?? [];
  const hosts = asked.proposedNetworkPolicyAmendments?.filter(({ action }) => action === 'allow') ?? [];
  const what = command ? 'for this command' : `for connections to ${networkApprovalContext?.host}`;
  return [
    {
      suggestion: { id: 'session', label: `Do not ask again ${what} while this Codex runs` },
      decision: 'acceptForSession',
    },
    ...(prefix.length === 0
      ? []
      : [
          {
            suggestion: {
              id: PREFIX,
              label: `Always allow commands that begin with: ${prefix.map(shellWord).join(' ')} (without the sandbox; Codex keeps that as a rule)`,
              prefix,
            },
            decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: prefix } },
          },
        ]),
    ...hosts.map((amendment, i) => ({
      suggestion: {
        id: `host-${i + 1}`,
        label: `Always allow connections to ${amendment.host} (Codex keeps that as a rule)`,
        host: amendment.host,
      },
      decision: { applyNetworkPolicyAmendment: { network_policy_amendment: amendment } },
    })),
  ];
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
      suggestions: [{ id: 'session', label: 'For as long as this Codex runs, not only for this turn' }],
    },
    call: { id: asked.itemId, isAnswer: (told, result) => isTheGrant(told, result, permissions) },
    takesChanges: true,
    answer: ({ allowed, input, suggestion_ids }) => ({
      permissions: allowed && isObject(input.permissions) ? input.permissions : {},
      scope: allowed && suggestion_ids.includes('session') ? 'session' : 'turn',
    }),
  };
}

/** Codex asks for a tool of an MCP server in the form of an elicitation; `item` is the call that it is about. */
export function toolApproval(
  asked: z.infer<typeof Elicitation>,
  meta: z.infer<typeof ToolApprovalMeta>,
  id: string,
  { id: itemId, tool, arguments: given }: Item,
): WantedApproval {
  const persist = [meta.persist ?? []].flat();
  const labels: Record<string, string> = {
    session: 'Do not ask again for this tool while this Codex runs, whatever its arguments',
    always: 'Never ask again for this tool, whatever its arguments; Codex keeps that in its configuration',
  };
  const offered = persist.filter((how) => how in labels);
  return {
    kind: 'approval',
    itemId: itemId ?? undefined,
    id,
    spec: {
      tool_name: `mcp__${asked.serverName}__${tool}`,
      input: isObject(given) ? given : {},
      reason: asked.message ?? undefined,
      suggestions: offered.map((how) => ({ id: how, label: labels[how] ?? how })),
    },
    answer({ allowed, suggestion_ids }) {
      const kept = ['session', 'always'].find((how) => offered.includes(how) && suggestion_ids.includes(how));
      return {
        action: allowed ? 'accept' : 'decline',
        content: allowed ? {} : null,
        _meta: allowed && kept ? { persist: kept } : null,
      };
    },
  };
}

/** An elicitation without a form to fill in: a page to visit, or a yes. */
export function consent({ kind, spec }: Consent, id: string): WantedApproval {
  const answer = ({ allowed }: Decision) => ({
    action: allowed ? 'accept' : 'decline',
    content: allowed ? {} : null,
    _meta: null,
  });
  return { kind, id, spec, answer };
}

/** A call id is unique in its turn. */
export const turnOf = (turnId: string | null | undefined): string => (turnId ? `@${turnId}` : '');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
