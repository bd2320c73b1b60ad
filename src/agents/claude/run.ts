// Claude Code, driven over its stream-json wire: one process for each stretch of work, one of its conversations for each
// session. Owns which conversation that is and what it is told first: the input; nothing, where it takes up the call that
// it was held on by itself; or, after its process died, what was decided meanwhile.
import { hasEnded } from '../../client/outcome.ts';
import type { AskView } from '../../core/views.ts';
import type { AgentContext, Ending } from '../agent.ts';
import { goingOn } from '../kit/inherited-settings.ts';
import { canBeTakenUp } from '../kit/restart-limit.ts';
import { resumeMessage as carriedText } from '../kit/resume-message.ts';
import { withSkills } from '../workspace/skills.ts';
import { folderProblem } from '../workspace/work-folder.ts';
import { thatCounted } from './elicitations.ts';
import { type ClaudeSpec, readClaudeInput } from './input.ts';
import type { Beginning } from './launch.ts';
import { CONVERSATION, heldOutputId, MODE } from './outputs.ts';
import { talkWithClaude } from './process.ts';
import { callsOver, conversationAgain, modeAgain, rulesAgain } from './resume.ts';
import { claudeRuntime } from './runtime.ts';

export async function runClaude(context: AgentContext): Promise<Ending> {
  const { input, carried, since } = await goingOn(context, (before) => !('problem' in readClaudeInput(before)));
  const spec = readClaudeInput(asWords(input, context), carried);
  const problem = 'problem' in spec ? spec.problem : await folderProblem(context.session.work_folder);
  if ('problem' in spec || problem) return { ended: 'failed', reason: 'worker-failed', error: problem as string };
  const talk = () => withSkills(context, spec.skills, claudeRuntime.skills, () => work(context, spec, since));
  return inTurn(context.session.session_id, talk);
}

/** Posts that were joined are words, also where the first of them is a command: that would swallow the others. */
function asWords(input: Record<string, unknown>, { input: { item_ids } }: AgentContext): Record<string, unknown> {
  const isJoined = Array.isArray(item_ids) && item_ids.length > 1;
  return isJoined && typeof input.text === 'string' ? { ...input, text: input.text.replace(/^\//, ' /') } : input;
}

/** Conversations that a process of this worker is still in: whoever comes next waits until it has left. */
const inConversation = new Map<string, Promise<unknown>>();

function inTurn<T>(sessionId: string, talk: () => Promise<T>): Promise<T> {
  const before = inConversation.get(sessionId) ?? Promise.resolve();
  const mine = before.catch(() => {}).then(talk);
  inConversation.set(sessionId, mine);
  return mine.finally(() => {
    if (inConversation.get(sessionId) === mine) inConversation.delete(sessionId);
  });
}

/** `since`: the runs before this one that were started with its settings. */
async function work(context: AgentContext, spec: ClaudeSpec, since: ReadonlySet<string>): Promise<Ending> {
  const id = (await context.recall(CONVERSATION))?.session_id;
  const history = await context.history();
  const known = history.filter((ask) => ask.run_id === context.run.run_id);
  const conversation = conversationAgain(id, context.session.session_id);
  const before = carriesForm(context) ? (await context.earlier()).toReversed() : [];
  const of = new Set([...since, ...before.map(({ run }) => run.run_id), context.run.run_id]);
  const asked = history.filter((ask) => of.has(ask.run_id));
  const outputs = [...before, context].flatMap(({ run }) => run.outputs);
  const lastMode = (await context.recall(MODE))?.mode;
  // A mode chosen for a run holds for it and for the runs that go on with it: what was seen in others must not change it.
  const isOfSession = spec.mode === undefined || since.size > 0;
  const seen = isOfSession ? lastMode : outputs.findLast((output) => output.type === MODE)?.data?.mode;
  const mode = modeAgain(spec.mode, seen, asked);
  const again = takeUp(context, spec, {
    conversation: ['--resume', conversation],
    mode,
    lastMode,
    rules: rulesAgain(mode, history),
    known,
    over: callsOver(history, context.run.run_id, formAnswered(context)),
  });
  const afresh = { ...again, conversation: ['--session-id', conversation], prompt: againFromStart(spec, known) };
  const isNew = id === undefined && !context.resumed && !carriesForm(context);
  const ways = isNew ? [afresh, again] : [again, afresh];
  let error: string | undefined;
  for (const way of ways) {
    const ending = await talkWithClaude(context, spec, way);
    if (ending.ended === 'held') return ending;
    if (ending.ended === 'died' && ending.owes && (await canBeTakenUp(context, 'claude', ending.error)))
      return { ended: 'held' };
    error ??= ending.ended === 'completed' ? undefined : ending.error;
    if (ending.ended === 'no_conversation') continue;
    await acknowledgeRest(context);
    if (ending.ended === 'completed') return ending;
    return { ended: 'failed', reason: 'provider-failed', error: ending.error, exit_code: ending.exitCode };
  }
  return { ended: 'failed', reason: 'provider-failed', error: error ?? 'Claude Code could not be started.' };
}

const carriesForm = ({ input }: AgentContext): boolean => input.interactive_form_answer !== undefined;
const formAnswered = ({ input }: AgentContext): unknown =>
  (input.interactive_form_answer as { tool_use_id?: unknown } | undefined)?.tool_use_id;

type Started = Omit<Beginning, 'prompt' | 'otherwise'>;

function takeUp(context: AgentContext, spec: ClaudeSpec, begin: Started): Beginning {
  // It has kept the call that displayed the form, and makes it again by itself.
  if (!context.resumed && carriesForm(context)) return { ...begin, prompt: undefined, otherwise: spec.text };
  if (!context.resumed) return { ...begin, prompt: spec.text, otherwise: spec.text };
  const { due, run } = context;
  const isHeld = (ask: AskView) => run.outputs.some((output) => output.output_id === heldOutputId(ask.tool_call_id));
  const otherwise = toldAgain(due, begin.known);
  // Every answer goes to a call that Claude Code itself has kept: it asks for it by itself.
  return { ...begin, prompt: due.length > 0 && due.every(isHeld) ? undefined : otherwise, otherwise };
}

function toldAgain(due: readonly AskView[], known: readonly AskView[]): string {
  const isDue = new Set(due.map((ask) => ask.ask_id));
  const counted = thatCounted(known);
  const left = new Set(known.filter((ask) => !counted.includes(ask)).map((ask) => ask.ask_id));
  return carriedText(
    due.filter((ask) => !left.has(ask.ask_id)),
    counted.filter((ask) => hasEnded(ask) && !isDue.has(ask.ask_id)),
  );
}

/** There is no such conversation on this machine: the task, and what is known about it. */
function againFromStart({ text }: ClaudeSpec, known: readonly AskView[]): string {
  const ended = thatCounted(known).filter(hasEnded);
  return ended.length === 0 ? text : `${text}\n\n${carriedText(ended, [])}`;
}

/** Acknowledges the answers that were told as text and not taken by a repeated call. */
async function acknowledgeRest(context: AgentContext): Promise<void> {
  for (const { ask_id } of context.due) await context.acknowledge(ask_id).catch(() => {});
}
