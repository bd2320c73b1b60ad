// Supervises one process of Claude Code from its start to its exit: stores its outputs, passes its requests on, and closes
// its input after the last turn. Owns the process and its timers; translates and decides nothing.
import { type AgentContext, isLeaving, type LineProcess } from '../agent.ts';
import { createModelOutage } from '../kit/model-outage.ts';
import { realFolder } from '../workspace/work-folder.ts';
import type { ClaudeSpec } from './input.ts';
import { createLastTurn, ownCommand, type ProcessEnding, processEnding } from './last-turn.ts';
import { type LaunchOptions, startClaude } from './launch.ts';
import { createOutputs } from './outputs.ts';
import { interrupt, readMessage, userMessage } from './protocol.ts';
import { createRequests } from './requests.ts';
import { createStreamReader, type StreamEvent } from './stream-events.ts';

/** Events that a process also sends if it never starts to work. */
const BEFORE_WORK: ReadonlySet<StreamEvent['event']> = new Set(['ready', 'mode_changed', 'response', 'turn_ended']);
const TAKEN_FOR_COMMAND =
  'is a command of Claude Code’s own: its model was told nothing. If you meant words, begin with another one.';
/** From when the process is ready: how long it takes to start depends on the machine. */
const RESUMES_WITHIN_MS = 5000;
const EXITS_WITHIN_MS = 5000;

export async function runProcess(
  context: AgentContext,
  spec: ClaudeSpec,
  options: LaunchOptions,
): Promise<ProcessEnding> {
  const stop = new AbortController();
  let claude: LineProcess | undefined;
  let hasStarted = false;
  let hasExited = false;
  let failure: unknown;
  let exitTimer: ReturnType<typeof setTimeout> | undefined;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  function abort(error: unknown): void {
    failure ??= error;
    stop.abort();
  }
  const send = (line: string): void => claude?.send(line);
  const killAfter = (ms: number): void => {
    exitTimer = setTimeout(() => stop.abort(), ms);
  };

  const outputs = createOutputs(context, options, abort);
  const modelOutage = createModelOutage(outputs.output);
  const requests = createRequests(context, spec, options, {
    send,
    outputs,
    onFailure(error) {
      if (!hasExited) abort(error);
    },
  });
  const { read } = createStreamReader(requests.mayExitOn, await realFolder(context.session.work_folder as string));
  const lastTurn = createLastTurn(spec.background_ms, {
    onOver(isGivenUp) {
      claude?.closeInput();
      killAfter(isGivenUp ? 0 : EXITS_WITHIN_MS);
    },
    onStay: (tasks) => void outputs.output(`Goes on in the background: ${tasks.join(', ')}`, { type: 'status' }),
  });

  function handle(event: StreamEvent): void {
    if (!BEFORE_WORK.has(event.event)) {
      hasStarted = true;
      clearTimeout(idleTimer);
    }
    switch (event.event) {
      case 'ready':
        if (options.prompt === undefined && !hasStarted) promptIfIdle();
        return;
      case 'session_started':
        lastTurn.started();
        outputs.conversation(event.sessionId);
        return;
      case 'mode_changed':
        outputs.setMode(event.mode);
        return;
      case 'output':
        void outputs.output(event.text, { id: event.id, type: event.type });
        return;
      case 'hook':
      case 'permission':
      case 'after_call':
      case 'elicitation':
      case 'unknown_request':
      case 'response':
        requests.receive(event);
        return;
      case 'request_cancelled':
        requests.cancelled(event.requestId);
        return;
      case 'call_ended':
        void outputs.push(() => requests.callEnded(event.call));
        return;
      case 'model_retried':
        modelOutage.retried(event.reason);
        return;
      case 'model_responded':
        modelOutage.responded();
        return;
      case 'background_changed':
        lastTurn.backgroundChanged(event.background);
        return;
      case 'turn_ended':
        turnEnded(event);
    }
  }

  function turnEnded({ result, background, hadAgents }: Extract<StreamEvent, { event: 'turn_ended' }>): void {
    const command = hadAgents ? undefined : ownCommand(options.prompt, result);
    if (command) void outputs.output(`${command} ${TAKEN_FOR_COMMAND}`, { type: 'status' });
    if (requests.endsAbandonedCall()) promptIfIdle();
    else lastTurn.ended(result, background);
  }

  /** It should continue by itself now; if it does not, it is sent a prompt. */
  function promptIfIdle(): void {
    idleTimer = setTimeout(() => send(userMessage(options.fallbackPrompt)), RESUMES_WITHIN_MS);
  }

  /** A person who stops the run stops the work, not the conversation, so that records the interruption. */
  function leave(): void {
    const isStopped = !isLeaving(context.signal) && !requests.hasForm();
    if (isStopped) {
      send(interrupt());
      claude?.closeInput();
    }
    // With a form it exits by itself, and keeps the deferred call for the run that carries the answer.
    killAfter(requests.hasForm() || isStopped ? EXITS_WITHIN_MS : 0);
  }

  claude = await startClaude(context, spec, options, {
    signal: stop.signal,
    onLine(line) {
      const message = readMessage(line);
      if (message) for (const event of read(message)) handle(event);
    },
  });
  context.signal.addEventListener('abort', leave, { once: true });
  if (context.signal.aborted) leave();
  // Its descendants may take longer to end; from now on no decision reaches it.
  void claude.exited.then(() => {
    hasExited = true;
    requests.close();
  });
  const exit = await claude.ended;
  context.signal.removeEventListener('abort', leave);
  clearTimeout(idleTimer);
  clearTimeout(exitTimer);
  lastTurn.close();
  requests.close();
  const isOwed = requests.hasUnanswered();
  await outputs.flush();
  context.signal.throwIfAborted();
  if (failure) throw failure;
  return processEnding(exit, lastTurn.result(), hasStarted, isOwed);
}
