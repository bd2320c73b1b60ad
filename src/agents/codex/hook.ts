// Where no daemon runs (`codex --no-daemon`, `codex exec`), a hook of Codex asks: it is called with what Codex wants to
// do, waits for a person here, and says what they decided. Where nobody could be asked here, Codex's own prompt is left to
// ask; but where Codex would go on without asking a person, what nobody has allowed is denied.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { type Client, every } from '../../client/client.ts';
import { HoldpointProblem } from '../../client/http.ts';
import type { ApprovalOutcome } from '../../client/outcome.ts';
import { canonical } from '../../core/digest.ts';
import type { HookCall, HookProcessContext } from '../agent.ts';
import { type AttachedAgent, endRun, letGo, openAttachedRun } from '../kit/attached-session.ts';
import { fittingText } from '../kit/fitting-text.ts';
import { createPeer } from '../wire/json-rpc.ts';
import { HOOK_SECONDS } from './connect.ts';
import { CLIENT } from './protocol.ts';
import { codexHome, daemonSocket } from './socket-path.ts';

/** As much as is needed to say who decides when the hook does not. */
const HookEvent = z.looseObject({
  hook_event_name: z.literal('PermissionRequest'),
  turn_id: z.unknown().optional(),
  transcript_path: z.unknown().optional(),
});
const Call = z.looseObject({
  session_id: z.string().regex(/^[\w.-]{1,100}$/),
  /** A sub-agent, in the session of the conversation it works for. */
  agent_id: z
    .string()
    .regex(/^[\w.-]{1,100}$/)
    .nullish(),
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
/** Begins the call ids of asks that hook processes raise. */
export const HOOK_CALL = 'hook-';

/** The ask ends a little before Codex would give the hook up. */
const MARGIN_MS = 60_000;
const LINEAGE_CHARACTERS = 300;
const GIVEN_UP = 'Codex gave the hook up';

/** What the hook prints; undefined: nothing. `open` may fail. */
export async function decide(payload: unknown, open: () => HookProcessContext): Promise<object | undefined> {
  const event = HookEvent.safeParse(payload);
  if (!event.success) return undefined;
  try {
    const decided = await ask(Call.parse(payload), open());
    if (decided !== 'expired') return decided;
    throw new Error('nobody answered in time');
  } catch (error) {
    if (await asksPerson(event.data)) throw error;
    return decision('deny', `Holdpoint could ask nobody: ${(error as Error).message}`);
  }
}

async function ask(call: z.infer<typeof Call>, context: HookProcessContext): Promise<object | undefined | 'expired'> {
  if (await daemonHas(call.session_id, context)) return undefined;
  const input = inputOf(call);
  const outcome = await askOnce(call, input, context);
  if (outcome.status === 'expired') return 'expired';
  if (outcome.status !== 'answered')
    return decision('deny', `Nobody allowed it (${outcome.status}: ${outcome.reason}).`);
  if (!outcome.allowed) return decision('deny', outcome.reason);
  if (canonical(outcome.input) === canonical(input)) return decision('allow');
  return decision('deny', `The person allows this instead, so ask for exactly that: ${JSON.stringify(outcome.input)}`);
}

/** Codex's own tools say a reason beside what they want, and not where; any other tool has its arguments to itself. */
const isOwn = (toolName: string): boolean => toolName === 'Bash' || toolName === 'apply_patch';

function inputOf({ tool_name, tool_input, cwd }: z.infer<typeof Call>): Record<string, unknown> {
  if (!isOwn(tool_name)) return tool_input;
  const { description, ...wanted } = tool_input;
  return { ...(typeof description === 'string' ? wanted : tool_input), cwd };
}

/** Calls of one turn may ask at once, each through a hook of its own: they share its run, and the last one ends it. */
async function askOnce(
  call: z.infer<typeof Call>,
  input: Record<string, unknown>,
  { client, waits, signal, machine, record }: HookProcessContext,
): Promise<ApprovalOutcome> {
  const { tool_name, tool_input, turn_id, cwd, agent_type } = call;
  const conversation = { ...attachedAt(machine), id: call.agent_id ?? call.session_id, folder: cwd };
  const { description, command } = tool_input;
  const spec = {
    id: `${HOOK_CALL}${crypto.randomUUID()}`,
    tool_name,
    input,
    work_folder: cwd,
    ...(isOwn(tool_name) && typeof description === 'string' && { reason: description }),
    ...(tool_name === 'apply_patch' && typeof command === 'string' && { diff: command }),
    ...(agent_type && { lineage: [fittingText(agent_type, LINEAGE_CHARACTERS)] }),
    expires_after_ms: HOOK_SECONDS * 1000 - MARGIN_MS,
  };
  for (;;) {
    const run = await openAttachedRun(client, waits, conversation, { id: turn_id }, signal);
    const forget = record({ run_id: run.run.run_id, call_id: spec.id });
    let askId: string | undefined;
    try {
      const raised = (id: string) => {
        askId = id;
      };
      const outcome = await run.approve(spec, { raised });
      await endIfLast(client, run.run.run_id);
      await forget();
      return outcome as ApprovalOutcome;
    } catch (error) {
      if (askId !== undefined) {
        const isTold = await letGo(client, askId, GIVEN_UP);
        await endIfLast(client, run.run.run_id);
        if (isTold) await forget();
        throw error;
      }
      await forget();
      // Another call of the turn has ended the run before this one could ask in it.
      if (!(error instanceof HoldpointProblem) || error.code !== 'run_state_conflict') throw error;
    }
  }
}

/** The decision counts, whether or not the end of the run could be reported. */
const endIfLast = (client: Client, runId: string): Promise<void> => endRun(client, runId).catch(() => {});

/** What a hook that was killed had asked is over. */
export async function endAbandoned(client: Client, { run_id, call_id }: HookCall): Promise<void> {
  for await (const ask of every((page) => client.asks.list({ run_id, ...page })))
    if (ask.tool_call_id === call_id && (ask.status === 'pending' || ask.delivery.state === 'due'))
      await letGo(client, ask.ask_id, GIVEN_UP);
  await endRun(client, run_id);
}

const decision = (behavior: 'allow' | 'deny', message?: string) => ({
  hookSpecificOutput: {
    hookEventName: 'PermissionRequest',
    decision: message === undefined ? { behavior } : { behavior, message },
  },
});

/** A thread of the daemon is asked for through the daemon, where its own prompt stays open beside ours. */
async function daemonHas(threadId: string, { openSocket, env }: HookProcessContext): Promise<boolean> {
  const peer = createPeer({ send: (text) => talk?.send(text), onRequest: () => {}, onNotification: () => {} });
  const talk = await openSocket(daemonSocket(codexHome(env)), peer.receive).catch(() => undefined);
  if (!talk) return false;
  void talk.ended.then(() => peer.close(new Error('the daemon is gone')));
  try {
    await peer.request('initialize', { clientInfo: CLIENT });
    peer.notify('initialized');
    const loaded = z.looseObject({ data: z.array(z.string()) }).parse(await peer.request('thread/loaded/list', {}));
    return loaded.data.includes(threadId);
  } catch {
    return false;
  } finally {
    talk.close();
  }
}

/** Whether Codex asks a person when the hook says nothing, as it notes for each turn; otherwise a model decides. */
async function asksPerson({ turn_id, transcript_path }: z.infer<typeof HookEvent>): Promise<boolean> {
  if (typeof turn_id !== 'string' || typeof transcript_path !== 'string') return false;
  let reviewer: string | undefined;
  try {
    for await (const line of createInterface({ input: createReadStream(transcript_path) })) {
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
