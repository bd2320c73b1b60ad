// Translates what Codex wants permission for into approvals (commands, terminal input, network connections, wider
// permissions, MCP tools) and a decision into the response that Codex expects. Pure. Only an explicit allow becomes one;
// everything else declines. Tools have the names that Codex's own hooks use, so that one rule covers both.
import type { z } from 'zod';
import type { ApprovalOutcome } from '../../client/outcome.ts';
import type { ApproveSpec } from '../../client/spec.ts';
import { shellQuote } from '../../node/shell-quote.ts';
import type { Consent } from '../kit/elicitation.ts';
import { unwrapShell } from '../wire/shell-words.ts';
import { type AnsweredCall, isTheGrant } from './delivery-evidence.ts';
import { isTable } from './inherited-config.ts';
import {
  type CommandApproval,
  type Elicitation,
  elicitationResponse,
  type Item,
  idInTurn,
  type PermissionsApproval,
  type ToolApprovalMeta,
} from './protocol.ts';

export interface ApprovalAsk {
  kind: 'approval';
  id: string;
  spec: ApproveSpec;
  /** The item whose end shows whether it was allowed, where there is one. */
  itemId?: string | undefined;
  /** The call whose output tells the model what was granted, where there is one. */
  call?: AnsweredCall | undefined;
  /** Codex can run the action as the person changed it; otherwise the model has to ask for the changed one. */
  takesChanges?: boolean;
  responseTo(decision: Pick<ApprovalOutcome, 'allowed' | 'input' | 'suggestion_ids'>): unknown;
}

const UNKNOWN_TERMINAL = 'unknown: it was opened before this turn';

/** Undefined if it names neither a command nor a host: there is nothing to decide about. */
export function commandApproval(
  asked: z.infer<typeof CommandApproval>,
  terminal: Item | undefined,
): ApprovalAsk | undefined {
  const { itemId, turnId, approvalId, command, reason, networkApprovalContext: network } = asked;
  if (!command && !network) return undefined;
  const isInput = asked.kind === 'writeStdin';
  const permissions = asked.additionalPermissions ?? undefined;
  const offers = isInput ? [] : offersOf(asked);
  return {
    kind: 'approval',
    itemId: isInput || network || approvalId ? undefined : itemId,
    id: idInTurn(approvalId ? `${itemId}:${approvalId}` : itemId, turnId),
    spec: {
      tool_name: isInput ? 'write_stdin' : command ? 'Bash' : 'network',
      input: {
        ...(command && { command: unwrapShell(command) }),
        ...(isInput && { terminal: terminal?.command ? unwrapShell(terminal.command) : UNKNOWN_TERMINAL }),
        ...(asked.cwd && { cwd: asked.cwd }),
        ...(network && { network: { ...network, ...portOf(itemId) } }),
        ...(permissions !== undefined && { additional_permissions: permissions }),
      },
      reason: reason ?? undefined,
      ...(offers.length > 0 && { suggestions: offers.map(({ suggestion }) => suggestion) }),
    },
    responseTo({ allowed, suggestion_ids }) {
      if (!allowed) return { decision: 'decline' };
      const taken = offers.find(({ suggestion }) => suggestion_ids.includes(suggestion.id));
      return { decision: taken?.decision ?? 'accept' };
    },
  };
}

/** The suggestion by which Codex would store a rule for a command prefix. */
export const PREFIX = 'prefix';

/** The port of a connection is only in its item id: `network#local#https#example.com#443#…`. */
function portOf(itemId: string): { port?: number } {
  const port = /^network#[^#]*#[^#]*#[^#]*#(\d+)#/.exec(itemId)?.[1];
  return port === undefined ? {} : { port: Number(port) };
}

/** What Codex offers to allow beyond this once, each with the decision that accepts it; the narrowest first. */
function offersOf({ command, networkApprovalContext, ...asked }: z.infer<typeof CommandApproval>) {
  const prefix = asked.proposedExecpolicyAmendment ?? [];
  const hosts = asked.proposedNetworkPolicyAmendments?.filter(({ action }) => action === 'allow') ?? [];
  const what = command ? 'for this command' : `for connections to ${networkApprovalContext?.host}`;
  const session = {
    suggestion: { id: 'session', label: `Do not ask again ${what} while this Codex runs` },
    decision: 'acceptForSession',
  };
  const rule = {
    suggestion: {
      id: PREFIX,
      label: `Always allow commands that begin with: ${prefix.map(shellQuote).join(' ')} (without the sandbox; Codex keeps that as a rule)`,
      prefix,
    },
    decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: prefix } },
  };
  const connections = hosts.map((amendment, i) => ({
    suggestion: {
      id: `host-${i + 1}`,
      label: `Always allow connections to ${amendment.host} (Codex keeps that as a rule)`,
      host: amendment.host,
    },
    decision: { applyNetworkPolicyAmendment: { network_policy_amendment: amendment } },
  }));
  return [session, ...(prefix.length > 0 ? [rule] : []), ...connections];
}

/** The response is what is granted: everything, what the person left of it, or nothing. */
export function permissionsApproval(asked: z.infer<typeof PermissionsApproval>): ApprovalAsk {
  const { permissions, cwd, reason } = asked;
  return {
    kind: 'approval',
    id: idInTurn(asked.itemId, asked.turnId),
    spec: {
      tool_name: 'request_permissions',
      input: { permissions, ...(cwd && { cwd }) },
      reason: reason ?? undefined,
      suggestions: [{ id: 'session', label: 'For as long as this Codex runs, not only for this turn' }],
    },
    call: { id: asked.itemId, isAnswer: (output, result) => isTheGrant(output, result, permissions) },
    takesChanges: true,
    responseTo: ({ allowed, input, suggestion_ids }) => ({
      permissions: allowed && isTable(input.permissions) ? input.permissions : {},
      scope: allowed && suggestion_ids.includes('session') ? 'session' : 'turn',
    }),
  };
}

const PERSISTENCE: Record<string, string> = {
  session: 'Do not ask again for this tool while this Codex runs, whatever its arguments',
  always: 'Never ask again for this tool, whatever its arguments; Codex keeps that in its configuration',
};

/** Codex asks about an MCP tool in the form of an elicitation; the item is the call that it is about. */
export function toolApproval(
  asked: z.infer<typeof Elicitation>,
  meta: z.infer<typeof ToolApprovalMeta>,
  id: string,
  { id: itemId, tool, arguments: given }: Item,
): ApprovalAsk {
  const offered = [meta.persist ?? []].flat().filter((persist) => Object.hasOwn(PERSISTENCE, persist));
  return {
    kind: 'approval',
    itemId: itemId ?? undefined,
    id,
    spec: {
      tool_name: `mcp__${asked.serverName}__${tool}`,
      input: isTable(given) ? given : {},
      reason: asked.message ?? undefined,
      suggestions: offered.map((persist) => ({ id: persist, label: PERSISTENCE[persist] })),
    },
    responseTo({ allowed, suggestion_ids }) {
      const persist = ['session', 'always'].find((one) => offered.includes(one) && suggestion_ids.includes(one));
      return elicitationResponse(allowed ? {} : null, persist ? { persist } : null);
    },
  };
}

/** An elicitation without a form: a page to open, or a yes or no. */
export const consent = ({ kind, spec }: Consent, id: string): ApprovalAsk => ({
  kind,
  id,
  spec,
  responseTo: ({ allowed }) => elicitationResponse(allowed ? {} : null),
});
