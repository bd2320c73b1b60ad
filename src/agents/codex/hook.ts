// Handles the PermissionRequest hook of a Codex without a daemon (`codex --no-daemon`, `codex exec`): raises the request as
// an approval, waits for its outcome and returns the decision to Codex. If the approval could not be raised or expired,
// Codex asks at its own prompt; in a turn where Codex would let a model decide instead, the request is denied.
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import type { ApprovalOutcome } from '../../client/outcome.ts';
import { canonical } from '../../core/digest.ts';
import { storable, truncate } from '../../core/text-limit.ts';
import { linesOf } from '../../node/lines.ts';
import type { HookCall, HookProcessContext } from '../agent.ts';
import type { AttachedAgent } from '../kit/attached-session.ts';
import { approveInHook, endAbandonedCall } from '../kit/hook-approval.ts';
import { createPeer } from '../wire/json-rpc.ts';
import { HOOK_SECONDS } from './connect.ts';
import { changedInput, initialize, loadedThreads } from './protocol.ts';
import { codexHome, daemonSocket } from './socket-path.ts';

/** The fields that tell whether Codex asks a person when the hook does not decide. */
const HookEvent = z.looseObject({
  hook_event_name: z.literal('PermissionRequest'),
  turn_id: z.unknown().optional(),
  transcript_path: z.unknown().optional(),
});
const Id = z.string().regex(/^[\w.-]{1,100}$/);
const Call = z.looseObject({
  session_id: Id,
  /** The sub-agent that calls. */
  agent_id: Id.nullish(),
  agent_type: z.string().nullish(),
  turn_id: z.string().min(1).max(100),
  cwd: z.string().min(1),
  tool_name: z.string().min(1).max(256),
  tool_input: z.record(z.string(), z.unknown()),
});

/** The conversations of a person's own Codex on one machine. */
export const attachedAt = (machine: string): AttachedAgent => ({
  agent: 'codex',
  sessionPrefix: 'codex-own-',
  label: machine,
});
/** The prefix of the call ids of asks that hook processes raise. */
export const HOOK_CALL = 'hook-';

/** The ask expires before the timeout of the hook. */
const MARGIN_MS = 60_000;
const LINEAGE_CHARACTERS = 300;
const GIVEN_UP = 'Codex gave the hook up';

export async function decide(payload: unknown, open: () => HookProcessContext): Promise<object | undefined> {
  const event = HookEvent.safeParse(payload);
  if (!event.success) return undefined;
  try {
    const decided = await ask(Call.parse(payload), open());
    if (decided !== 'expired') return decided;
    throw new Error('the request expired without an answer');
  } catch (error) {
    if (await isReviewedByPerson(event.data)) throw error;
    return decision('deny', `Holdpoint could not ask a person: ${(error as Error).message}`);
  }
}

async function ask(call: z.infer<typeof Call>, context: HookProcessContext): Promise<object | undefined | 'expired'> {
  if (await isInDaemon(call.session_id, context)) return undefined;
  const input = inputOf(call);
  const outcome = await approve(call, input, context);
  if (outcome.status === 'expired') return 'expired';
  if (outcome.status !== 'answered')
    return decision('deny', `It was not allowed (${outcome.status}: ${outcome.reason}).`);
  if (!outcome.allowed) return decision('deny', outcome.reason);
  const allowed = changedInput(outcome.input, input);
  if (canonical(allowed) === canonical(input)) return decision('allow');
  return decision('deny', `The person allows this instead, so ask for exactly that: ${JSON.stringify(allowed)}`);
}

/** The input of these tools has a description for the person, and lacks the folder. Other inputs are shown unchanged. */
const isOwnTool = (toolName: string): boolean => toolName === 'Bash' || toolName === 'apply_patch';

function inputOf({ tool_name, tool_input, cwd }: z.infer<typeof Call>): Record<string, unknown> {
  if (!isOwnTool(tool_name)) return tool_input;
  const { description, ...action } = tool_input;
  return { ...(typeof description === 'string' ? action : tool_input), cwd };
}

function approve(
  call: z.infer<typeof Call>,
  input: Record<string, unknown>,
  context: HookProcessContext,
): Promise<ApprovalOutcome> {
  const { tool_name, turn_id: turnId, cwd, agent_type } = call;
  const conversation = { ...attachedAt(context.machine), id: call.agent_id ?? call.session_id, folder: cwd };
  const { description, command } = call.tool_input;
  const spec = {
    id: `${HOOK_CALL}${crypto.randomUUID()}`,
    tool_name,
    input,
    work_folder: cwd,
    ...(isOwnTool(tool_name) && typeof description === 'string' && { reason: description }),
    ...(tool_name === 'apply_patch' && typeof command === 'string' && { diff: command }),
    ...(agent_type && { lineage: [truncate(storable(agent_type), LINEAGE_CHARACTERS)] }),
    expires_after_ms: HOOK_SECONDS * 1000 - MARGIN_MS,
  };
  return approveInHook(context, { conversation, turnId, spec, givenUp: GIVEN_UP });
}

/** Ends the ask of a hook process that was killed. */
export const endAbandoned = (client: Client, call: HookCall): Promise<void> => endAbandonedCall(client, call, GIVEN_UP);

const decision = (behavior: 'allow' | 'deny', message?: string) => ({
  hookSpecificOutput: {
    hookEventName: 'PermissionRequest',
    decision: message === undefined ? { behavior } : { behavior, message },
  },
});

/** The requests of a daemon's threads are answered through the daemon, whose own prompt stays open meanwhile. */
async function isInDaemon(threadId: string, { openSocket, env }: HookProcessContext): Promise<boolean> {
  const peer = createPeer({ send: (text) => connection?.send(text), onRequest() {}, onNotification() {} });
  const connection = await openSocket(daemonSocket(codexHome(env)), peer.receive).catch(() => undefined);
  if (!connection) return false;
  void connection.ended.then(() => peer.close(new Error('the daemon is gone')));
  try {
    await initialize(peer);
    return (await loadedThreads(peer)).includes(threadId);
  } catch {
    return false;
  } finally {
    connection.close();
  }
}

/** Whether a person, not a model, reviews the approvals of this turn, as its transcript says. */
async function isReviewedByPerson({ turn_id, transcript_path }: z.infer<typeof HookEvent>): Promise<boolean> {
  if (typeof turn_id !== 'string' || typeof transcript_path !== 'string') return false;
  let reviewer: string | undefined;
  try {
    for await (const line of linesOf(createReadStream(transcript_path))) {
      if (!line.includes(turn_id)) continue;
      const { type, payload } = TurnContext.safeParse(JSON.parse(line)).data ?? {};
      if (type === 'turn_context' && payload?.turn_id === turn_id) reviewer = payload.approvals_reviewer;
    }
  } catch {
    return false;
  }
  return reviewer === 'user';
}

const TurnContext = z.looseObject({
  type: z.literal('turn_context'),
  payload: z.looseObject({ turn_id: z.string(), approvals_reviewer: z.string() }),
});
