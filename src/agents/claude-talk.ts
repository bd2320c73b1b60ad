// One process of Claude Code and the talk with it: what it says is told, what it asks is carried to the desk, and its
// end is the end of the run, or its hold. Owns the process and the order of what is told; translates nothing.

import type { AskView } from '../core/views.ts';
import { type AgentContext, type Ending, isLeaving, type ProcessExit, type Talk } from './agent.ts';
import { ASK_ANYWAY, type Decision, hookReply, OVER, permissionReply } from './claude-asks.ts';
import { createDesk } from './claude-desk.ts';
import { createElicitations, isElicitation } from './claude-elicitations.ts';
import { forwardForm, isForm, isOwnTool, TOOL_ARGUMENTS } from './claude-form.ts';
import { createHearing, type Heard, type ToolCall } from './claude-hearing.ts';
import type { ClaudeSpec } from './claude-input.ts';
import { createLastTurn, isDeferred, isSuccess, ownCommand } from './claude-last-turn.ts';
import { isAskedInPlan, isHeldFor, modeOf, refusedIn, SKILL_TOOL } from './claude-modes.ts';
import { refusedPlan } from './claude-plan.ts';
import {
  type ClaudeResult,
  controlRefusal,
  controlReply,
  initialize,
  interrupt,
  REFUSED,
  readMessage,
  userMessage,
} from './wire/claude-stream.ts';
import { realFolder } from './work-folder.ts';

export interface Beginning {
  /** Which conversation, as the command line takes it. */
  conversation: readonly string[];
  mode: string;
  /** The mode that the session was last seen in, if that is known. */
  lastMode: unknown;
  /** What was allowed in this session for good, as its settings take it. */
  rules: readonly string[];
  /** What is said to it first. Nothing where the call that it was held on is taken up by itself. */
  prompt: string | undefined;
  /** What is said if it then does nothing. */
  otherwise: string;
  /** What this run had asked before. */
  known: readonly AskView[];
  /** Calls of earlier runs that are not to be made any more. */
  over: ReadonlySet<string>;
}

/** The outputs in which a run keeps what it needs to be taken up again. */
export const CONVERSATION = 'claude-conversation';
export const MODE = 'claude-mode';
export const heldOn = (callId: string): string => `claude-held-on-${callId}`;

const ARGV =
  '-p --input-format stream-json --output-format stream-json --verbose --include-partial-messages --permission-prompt-tool stdio'.split(
    ' ',
  );
/** A hook is answered within the run's patience; this much later Claude Code may give it up. */
const HOOK_MARGIN_SECONDS = 3600;
/** What is heard before it has begun, and from one that never does. */
const SAYS_NOTHING: ReadonlySet<Heard['heard']> = new Set(['ready', 'mode', 'ended']);
/** Its user's own settings, and no server but ours: those of the user cannot be told from those of the folder. */
const OWN_SETTINGS_ONLY = ['--setting-sources', 'user', '--strict-mcp-config'];
const TAKEN_FOR_COMMAND =
  'is a command of Claude Code’s own: its model was told nothing. If you meant words, begin with another one.';
/** Counted from when it listens: how long it takes to start depends on what else the machine does. */
const CARRIES_ON_WITHIN_MS = 5000;
const LAST_WORDS_MS = 5000;
const NOT_FOUND = 127;

/**
 * `no_conversation`: it ended before it began, as it does when there is no such conversation, or there is one already.
 * `died`: it ended in the middle of its work; `owes` says whether somebody was still to answer, or had just done so.
 */
export type TalkEnding =
  | Extract<Ending, { ended: 'completed' | 'held' }>
  | { ended: 'no_conversation' | 'died'; error: string; exitCode: number; owes: boolean };

export async function talkWithClaude(
  context: AgentContext,
  spec: ClaudeSpec,
  beginning: Beginning,
): Promise<TalkEnding> {
  const stop = new AbortController();
  let { mode, lastMode = mode } = beginning;
  const desk = createDesk(
    context,
    beginning.known.filter((ask) => !isElicitation(ask)),
  );
  const elicitations = createElicitations(context, beginning.known.filter(isElicitation));
  const folder = context.session.work_folder as string;
  const mayEndOn = (name: string) => isForm(name) || isHeldFor(name, mode, spec.hold);
  const { hear } = createHearing(mayEndOn, await realFolder(folder));
  const requests = new Map<string, ToolCall>();
  /** The tools of which calls may be let through unasked, besides what its user's settings allow. */
  const opened = new Set(beginning.rules.map((rule) => rule.replace(/\(.*/s, '')));
  if (beginning.prompt?.startsWith('/')) opened.add(SKILL_TOOL);
  let talk: Talk | undefined;
  let telling: Promise<void> = Promise.resolve();
  let hasBegun = false;
  /** A form is displayed: the run is held on it, and may be over before the process is. */
  let hasForm = false;
  let isOver = false;
  /** The turn that it is in was not wanted: its end is no end. */
  let isDismissed = false;
  let failure: unknown;
  let lastWords: ReturnType<typeof setTimeout> | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;

  /** What is told is told in order; what cannot be told ends the talk. */
  const tell = (what: () => Promise<void>): Promise<void> => {
    telling = telling.then(what).catch((error: unknown) => {
      failure ??= error;
      stop.abort();
    });
    return telling;
  };

  const lastTurn = createLastTurn({
    commandsMs: spec.backgroundMs,
    over(isGivenUp) {
      talk?.hangUp();
      lastWords = setTimeout(() => stop.abort(), isGivenUp ? 0 : LAST_WORDS_MS);
    },
    stays: (going) =>
      void tell(() => context.say(`Goes on in the background: ${going.join(', ')}`, { type: 'status' })),
  });

  function take(heard: Heard): void {
    if (!SAYS_NOTHING.has(heard.heard)) {
      hasBegun = true;
      clearTimeout(idle);
    }
    switch (heard.heard) {
      case 'ready':
        if (beginning.prompt === undefined && !hasBegun) expectWork();
        return;
      case 'begun':
        lastTurn.begun();
        void tell(() =>
          context.say(undefined, {
            id: `${CONVERSATION}-${heard.sessionId}`,
            type: CONVERSATION,
            data: { session_id: heard.sessionId },
          }),
        );
        return;
      case 'mode':
        turnTo(heard.mode);
        return;
      case 'said':
        void tell(() => context.say(heard.text, { id: heard.id, type: heard.type }));
        return;
      case 'before':
      case 'permission':
        requests.set(heard.requestId, heard.call);
        void answer(heard).catch((error: unknown) => {
          if (requests.has(heard.requestId)) fail(error);
        });
        return;
      case 'elicitation':
        void passOn(heard).catch(fail);
        return;
      case 'unknown_request':
        talk?.send(controlRefusal(heard.requestId, `Holdpoint does not know the request ${heard.subtype}.`));
        return;
      case 'taken_back': {
        const call = requests.get(heard.requestId);
        if (call) desk.takenBack(call);
        elicitations.takenBack(heard.requestId);
        requests.delete(heard.requestId);
        return;
      }
      case 'settled':
        void tell(() => desk.settled(heard.call));
        return;
      case 'background':
        lastTurn.changed(heard.background);
        return;
      case 'ended': {
        const command = heard.hadAgents ? undefined : ownCommand(beginning.prompt, heard.result);
        if (command) void tell(() => context.say(`${command} ${TAKEN_FOR_COMMAND}`, { type: 'status' }));
        if (isDismissed) expectWork();
        else lastTurn.ended(heard.result, heard.background);
        isDismissed = false;
      }
    }
  }

  /** Nobody can be asked, so nothing may go on. */
  function fail(error: unknown): void {
    if (isOver) return;
    failure ??= error;
    stop.abort();
  }

  /** It goes on by itself now; if it does not, it is told what it needs to know. */
  function expectWork(): void {
    idle = setTimeout(() => talk?.send(userMessage(beginning.otherwise)), CARRIES_ON_WITHIN_MS);
  }

  /** Kept, so that it is taken up again in the mode that it had come to. */
  function turnTo(next: string): void {
    if (next === mode && next === lastMode) return;
    mode = next;
    lastMode = next;
    void tell(() => context.say(undefined, { id: `${MODE}-${crypto.randomUUID()}`, type: MODE, data: { mode: next } }));
  }

  async function answer(heard: Extract<Heard, { heard: 'before' | 'permission' }>): Promise<void> {
    const { call, requestId } = heard;
    if (heard.heard === 'before' && heard.isKept && beginning.over.has(call.id)) return dismiss(requestId);
    if (heard.heard === 'before' && isForm(call.name)) return displayForm(heard);
    const itsMode = modeOf(call, mode);
    // Our own tools only ask: they were allowed with the run, and Claude Code forgets that while it plans.
    const isOurs = spec.askTools && isOwnTool(call.name);
    if (heard.heard === 'before' && !isHeldFor(call.name, itsMode, spec.hold)) {
      const itsOwnWay = !isOurs && isAskedInPlan(itsMode, call, opened) ? ASK_ANYWAY : undefined;
      return talk?.send(controlReply(requestId, hookReply(itsOwnWay)));
    }
    await telling;
    if (!requests.has(requestId)) return;
    if (heard.heard === 'permission') {
      const refused = refusedIn(itsMode, call) ?? refusedPlan(call);
      const decision = isOurs ? asItIs(call) : (refused ?? (await desk.decide(call)));
      for (const tool of openedBy(call, decision)) opened.add(tool);
      return talk?.send(controlReply(requestId, permissionReply(call, decision)));
    }
    // Where something would be lost with the process, Claude Code asks for a permission, and waits for that: another one
    // begins in the folder of the session.
    if (heard.hindrance || call.folder !== undefined || desk.owes() || elicitations.owes())
      return talk?.send(controlReply(requestId, hookReply(undefined)));
    const decision = refusedPlan(call) ?? (await desk.decide(call, patienceOf(spec.patienceMs)));
    if (decision.behavior === 'held')
      await tell(() => context.say(undefined, { id: heldOn(call.id), type: MODE, data: { mode } }));
    talk?.send(controlReply(requestId, hookReply(decision)));
  }

  async function passOn({ requestId, asked }: Extract<Heard, { heard: 'elicitation' }>): Promise<void> {
    const reply = await elicitations.answer(requestId, asked, telling);
    if (reply) talk?.send(controlReply(requestId, reply));
  }

  /** The turn that Claude Code began with it by itself ends with it: no model hears of it before the prompt. */
  function dismiss(requestId: string): void {
    isDismissed = true;
    talk?.send(controlReply(requestId, hookReply(OVER)));
    talk?.send(interrupt());
  }

  async function displayForm({ call, requestId, hindrance }: Extract<Heard, { heard: 'before' }>): Promise<void> {
    // A person may be quick: what the next run must know is kept before there is anything to answer.
    await telling;
    hasForm = true;
    const decision = await forwardForm(context, call, hindrance, spec.askTools);
    hasForm = decision.behavior === 'held';
    talk?.send(controlReply(requestId, hookReply(decision)));
  }

  /** A person who stops it stops what it does, not its conversation: that is told so. */
  function leave(): void {
    const isStopped = !isLeaving(context.signal) && !hasForm;
    if (isStopped) talk?.send(interrupt());
    if (isStopped) talk?.hangUp();
    // With a form it ends by itself, and keeps the call for the run that carries the answer.
    lastWords = setTimeout(() => stop.abort(), hasForm || isStopped ? LAST_WORDS_MS : 0);
  }

  const patienceOf = (ms: number): AbortSignal => (ms === 0 ? AbortSignal.abort() : AbortSignal.timeout(ms));

  talk = await context.processes.talk({
    argv: [
      'claude',
      ...ARGV,
      '--permission-mode',
      mode,
      ...(spec.model ? ['--model', spec.model] : []),
      ...(spec.askTools ? TOOL_ARGUMENTS : []),
      ...(spec.trustsFolder ? [] : OWN_SETTINGS_ONLY),
      ...settings(beginning.rules),
      ...beginning.conversation,
    ],
    folder,
    env: { ...present(context.env), HOLDPOINT_RUN_ID: context.run.run_id },
    mark: `HOLDPOINT_RUN_ID=${context.run.run_id}`,
    signal: stop.signal,
    onStart: async () => {},
    onLine: (line) => {
      const message = readMessage(line);
      if (message) for (const heard of hear(message)) take(heard);
    },
  });
  talk.send(initialize(Math.ceil(spec.patienceMs / 1000) + HOOK_MARGIN_SECONDS));
  if (beginning.prompt !== undefined) talk.send(userMessage(beginning.prompt));
  context.signal.addEventListener('abort', leave, { once: true });
  if (context.signal.aborted) leave();
  const exit = await talk.ended;
  context.signal.removeEventListener('abort', leave);
  isOver = true;
  clearTimeout(idle);
  clearTimeout(lastWords);
  lastTurn.close();
  const owes = desk.owes() || elicitations.owes() || hasForm;
  desk.close();
  elicitations.close();
  await telling;
  context.signal.throwIfAborted();
  if (failure) throw failure;
  return endingOf(exit, lastTurn.result(), hasBegun, owes);
}

function endingOf(exit: ProcessExit, result: ClaudeResult | undefined, hasBegun: boolean, owes: boolean): TalkEnding {
  if (result && isDeferred(result)) return { ended: 'held' };
  if (result && isSuccess(result)) return { ended: 'completed' };
  const { exitCode } = exit;
  const ended = hasBegun || exitCode === NOT_FOUND ? 'died' : 'no_conversation';
  return { ended, error: failureText(exit, result), exitCode, owes: owes && !result };
}

function failureText({ exitCode, signal, stderr }: ProcessExit, result: ClaudeResult | undefined): string {
  if (exitCode === NOT_FOUND)
    return 'Claude Code is not installed on the machine of this worker, or `claude` is not in its PATH.';
  const said = result?.errors?.join('\n') || result?.result || stderr.trim().split('\n').at(-1) || '';
  if (result?.subtype === REFUSED) return `A hook of Claude Code refused the prompt: ${said.slice(0, 2000)}`;
  const how = result ? result.subtype.replaceAll('_', ' ') : (signal ?? `exit code ${exitCode}`);
  return `Claude Code ended in the middle of its work (${how})${said ? `: ${said.slice(0, 2000)}` : '.'}`;
}

const asItIs = ({ input }: ToolCall): Decision => ({ behavior: 'allow', input, rules: [] });

/** The tools that an allowed call opens up: by rules that were taken with it, or because it is a skill. */
function openedBy({ name }: ToolCall, decision: Decision): string[] {
  if (decision.behavior !== 'allow') return [];
  const taken = decision.rules.flatMap(({ rules = [] }) => rules.map(({ toolName }) => toolName));
  return name === SKILL_TOOL ? [...taken, name] : taken;
}

const settings = (rules: readonly string[]): string[] =>
  rules.length > 0 ? ['--settings', JSON.stringify({ permissions: { allow: rules } })] : [];

const present = (env: AgentContext['env']): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
