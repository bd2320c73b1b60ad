// A person's own Claude Code, attached by its http hooks: what it asks at its terminal is asked here too, and the first
// answer counts. Each call of a hook is one event; the one that asks is answered when somebody has decided here. If the
// person at the terminal was first, later events say so and the ask is taken back. Nothing said here is no decision: the
// terminal goes on asking. Keeps only what it needs to pair events; the server has the rest.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Asking, askApproval, askQuestion } from '../client/asking.ts';
import { type Client, every } from '../client/client.ts';
import { HoldpointProblem } from '../client/http.ts';
import { approvalBody, questionBody } from '../client/spec.ts';
import type { Waits } from '../client/waits.ts';
import { canonical } from '../core/digest.ts';
import type { SessionView } from '../core/views.ts';
import {
  approvalDecision,
  approvalOf,
  type Decision,
  QUESTION_TOOL,
  questionDecision,
  questionsOf,
} from './claude-asks.ts';
import type { ToolCall } from './claude-hearing.ts';
import { HOOK_SECONDS } from './claude-settings.ts';
import { Suggestion } from './wire/claude-stream.ts';

const HookEvent = z.looseObject({
  session_id: z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/),
  hook_event_name: z.string(),
  cwd: z.string().min(1).max(4096),
  agent_id: z.string().optional(),
  agent_type: z.string().optional(),
  tool_name: z.string().min(1).optional(),
  tool_input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: z.string().min(1).max(200).optional(),
  permission_suggestions: z.array(Suggestion).optional(),
  prompt: z.string().optional(),
});
type HookEvent = z.infer<typeof HookEvent>;

interface Held {
  askId?: string;
  agentId: string | undefined;
  stop: AbortController;
}

/** One Claude Code session, as long as this server has seen it. */
interface Attached {
  sessionId: string;
  prompt: string;
  /** Calls that were announced, newest last: a request for permission does not say which call it is for. */
  announced: { key: string; id: string }[];
  held: Map<string, Held>;
  /** What must not happen twice at once: making the session, starting a run. */
  turn: Promise<unknown>;
}

const PREFIX = 'claude.';
const ANNOUNCED_AT_MOST = 200;
/** The ask ends a little before Claude Code would give the hook up. */
const MARGIN_SECONDS = 60;
const ELSEWHERE = 'settled at the terminal of Claude Code';
const NO_DECISION = {};

export function createClaudeDoor(client: Client, waits: Waits) {
  const sessions = new Map<string, Attached>();

  async function handle(payload: unknown, signal: AbortSignal): Promise<object> {
    const read = HookEvent.safeParse(payload);
    if (!read.success) return NO_DECISION;
    const event = read.data;
    const attached = await attachedOf(event);
    const ofThread = ({ agentId }: Held) => agentId === event.agent_id;
    switch (event.hook_event_name) {
      case 'PreToolUse':
        announce(attached, event);
        break;
      case 'PermissionRequest':
        return await ask(attached, event, signal);
      case 'PostToolUse':
      case 'PostToolUseFailure':
        await takeBack(attached, (_, callId) => callId === event.tool_use_id);
        break;
      case 'UserPromptSubmit':
        attached.prompt = event.prompt ?? attached.prompt;
        await takeBack(attached, ofThread);
        break;
      case 'Stop':
      case 'SubagentStop':
        await takeBack(attached, ofThread);
        if (event.hook_event_name === 'Stop' && attached.held.size === 0) await rest(attached);
        break;
      case 'SessionEnd':
        await takeBack(attached, () => true);
        await rest(attached);
        sessions.delete(event.session_id);
    }
    return NO_DECISION;
  }

  /** Asks that an earlier life of this server left open: no hook waits for them any more. */
  async function attachedOf({ session_id: id }: HookEvent): Promise<Attached> {
    const known = sessions.get(id);
    if (known) return known;
    const attached: Attached = {
      sessionId: `${PREFIX}${id}`,
      prompt: '',
      announced: [],
      held: new Map(),
      turn: Promise.resolve(),
    };
    sessions.set(id, attached);
    await recover(attached.sessionId).catch(() => {});
    return attached;
  }

  async function recover(session_id?: string): Promise<void> {
    const open = (page: object) => client.asks.list({ status: 'pending', session_id, limit: 500, ...page });
    for await (const ask of every(open))
      if (ask.session_id.startsWith(PREFIX))
        await client.asks.withdraw(ask.ask_id, {
          justification: 'Holdpoint was restarted; Claude Code asks at its terminal',
        });
  }

  function announce({ announced }: Attached, { agent_id, tool_name, tool_input, tool_use_id }: HookEvent): void {
    if (tool_name === undefined || tool_use_id === undefined) return;
    announced.push({ key: canonical([agent_id ?? null, tool_name, tool_input ?? {}]), id: tool_use_id });
    if (announced.length > ANNOUNCED_AT_MOST) announced.shift();
  }

  function callOf({ announced }: Attached, event: HookEvent): ToolCall {
    const { tool_name: name = '', tool_input: input = {}, permission_suggestions: suggestions = [] } = event;
    const key = canonical([event.agent_id ?? null, name, input]);
    const at = announced.findIndex((call) => call.key === key);
    const id = at < 0 ? `permission-${randomUUID()}` : (announced.splice(at, 1)[0]?.id as string);
    const lineage = event.agent_id === undefined ? [] : [event.agent_type || event.agent_id];
    return { id, name, input, lineage, reason: '', suggestions };
  }

  async function ask(attached: Attached, event: HookEvent, signal: AbortSignal): Promise<object> {
    const call = callOf(attached, event);
    const held: Held = { agentId: event.agent_id, stop: new AbortController() };
    attached.held.set(call.id, held);
    try {
      const opened = attached.turn.then(() => placeOf(attached, event));
      attached.turn = opened.catch(() => {});
      const { runId, workFolder } = await opened;
      const either = AbortSignal.any([signal, held.stop.signal]);
      return decisionReply(await decide({ calls: client, waits, runId, workFolder, signal: either }, call, held));
    } catch (error) {
      if (signal.aborted && held.askId !== undefined)
        await client.asks.withdraw(held.askId, { justification: 'Claude Code no longer waits for it' }).catch(() => {});
      else if (!held.stop.signal.aborted && !(error instanceof HoldpointProblem)) throw error;
      return NO_DECISION;
    } finally {
      attached.held.delete(call.id);
    }
  }

  /** The run that asks: the one at work, or a new one with what the person had typed. */
  async function placeOf(attached: Attached, { cwd }: HookEvent) {
    const session = (await sessionOf(attached)) ?? (await create(attached, cwd));
    const input = { text: attached.prompt };
    const runId =
      session.active_run_id ?? (await client.runs.start(session.session_id, { input, source: 'claude' })).run_id;
    return { runId, workFolder: session.work_folder };
  }

  const create = ({ sessionId, prompt }: Attached, work_folder: string) =>
    client.sessions.create({
      session_id: sessionId,
      agent: 'external',
      agent_id: 'claude',
      title: prompt.trim().slice(0, 80) || `Claude Code in ${work_folder}`.slice(0, 80),
      work_folder,
    });

  async function sessionOf({ sessionId }: Attached): Promise<SessionView | undefined> {
    try {
      return await client.sessions.get(sessionId);
    } catch (error) {
      if (error instanceof HoldpointProblem && error.status === 404) return undefined;
      throw error;
    }
  }

  async function decide(asking: Asking, call: ToolCall, held: Held): Promise<Decision> {
    const expires_after_ms = (HOOK_SECONDS - MARGIN_SECONDS) * 1000;
    const manner = {
      raised: (askId: string) => {
        held.askId = askId;
      },
    };
    if (call.name === QUESTION_TOOL) {
      const spec = questionsOf(call);
      if (!spec) return { behavior: 'held' };
      const outcome = await askQuestion(asking, questionBody({ ...spec, expires_after_ms }, call.id), manner);
      const isDecided = outcome.status === 'answered' || outcome.status === 'declined';
      return isDecided ? questionDecision(call, outcome) : { behavior: 'held' };
    }
    const outcome = await askApproval(asking, approvalBody({ ...approvalOf(call), expires_after_ms }, call.id), manner);
    return outcome.status === 'answered' ? approvalDecision(call, outcome) : { behavior: 'held' };
  }

  async function takeBack(
    attached: Attached,
    isSettled: (held: Held, callId: string) => boolean,
    justification = ELSEWHERE,
  ): Promise<void> {
    for (const [callId, held] of attached.held) {
      if (!isSettled(held, callId)) continue;
      held.stop.abort(new Error(justification));
      if (held.askId !== undefined) await client.asks.withdraw(held.askId, { justification }).catch(() => {});
    }
  }

  /** The turn is over: so is the run that asked in it. */
  async function rest(attached: Attached): Promise<void> {
    const active = (await sessionOf(attached))?.active_run_id;
    if (active !== undefined) await client.runs.complete(active).catch(() => {});
  }

  /** This server goes away: whoever waits here is sent back to the terminal. */
  async function close(): Promise<void> {
    for (const attached of sessions.values()) await takeBack(attached, () => true, 'Holdpoint was shut down');
  }

  return { handle, recover: () => recover(), close };
}

/** Whatever is no decision of a person here is left to the terminal. */
function decisionReply(decision: Decision): object {
  if (decision.behavior === 'held') return NO_DECISION;
  const { behavior } = decision;
  const said =
    behavior === 'deny'
      ? { behavior, message: decision.message }
      : {
          behavior,
          updatedInput: decision.input,
          ...(decision.rules.length > 0 && { updatedPermissions: decision.rules }),
        };
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: said } };
}
