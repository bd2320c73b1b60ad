// One process of Claude Code and the talk with it, from its start to its end: what it says is told, what it asks is replied
// to, and its end is the end of the run, or its hold. Owns the process and its clocks; translates and decides nothing.
import { type AgentContext, isLeaving, type LineProcess } from '../agent.ts';
import { realFolder } from '../workspace/work-folder.ts';
import { endingOf, type TalkEnding } from './ending.ts';
import type { ClaudeSpec } from './input.ts';
import { createLastTurn, ownCommand } from './last-turn.ts';
import { type Beginning, startClaude } from './launch.ts';
import { createOutputs } from './outputs.ts';
import { interrupt, readMessage, userMessage } from './protocol.ts';
import { createReplies } from './requests.ts';
import { createHearing, type Heard } from './stream-events.ts';

/** What is heard before it has begun, and from one that never does. */
const SAYS_NOTHING: ReadonlySet<Heard['heard']> = new Set(['ready', 'mode', 'reply', 'ended']);
const TAKEN_FOR_COMMAND =
  'is a command of Claude Code’s own: its model was told nothing. If you meant words, begin with another one.';
/** Counted from when it listens: how long it takes to start depends on what else the machine does. */
const CARRIES_ON_WITHIN_MS = 5000;
const LAST_WORDS_MS = 5000;

export async function talkWithClaude(
  context: AgentContext,
  spec: ClaudeSpec,
  beginning: Beginning,
): Promise<TalkEnding> {
  const stop = new AbortController();
  let talk: LineProcess | undefined;
  let hasBegun = false;
  let isOver = false;
  let failure: unknown;
  let lastWords: ReturnType<typeof setTimeout> | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;

  function breakOff(error: unknown): void {
    failure ??= error;
    stop.abort();
  }
  const send = (line: string): void => talk?.send(line);
  const endWithin = (ms: number): void => {
    lastWords = setTimeout(() => stop.abort(), ms);
  };

  const outputs = createOutputs(context, beginning, breakOff);
  const replies = createReplies(context, spec, beginning, {
    send,
    outputs,
    fail(error) {
      if (!isOver) breakOff(error);
    },
  });
  const { hear } = createHearing(replies.mayEndOn, await realFolder(context.session.work_folder as string));
  const lastTurn = createLastTurn({
    commandsMs: spec.backgroundMs,
    over(isGivenUp) {
      talk?.closeInput();
      endWithin(isGivenUp ? 0 : LAST_WORDS_MS);
    },
    stays: (going) => outputs.output(`Goes on in the background: ${going.join(', ')}`, { type: 'status' }),
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
        outputs.conversation(heard.sessionId);
        return;
      case 'mode':
        outputs.setMode(heard.mode);
        return;
      case 'said':
        void outputs.output(heard.text, { id: heard.id, type: heard.type });
        return;
      case 'before':
      case 'permission':
      case 'elicitation':
      case 'unknown_request':
      case 'reply':
        replies.to(heard);
        return;
      case 'taken_back':
        replies.takenBack(heard.requestId);
        return;
      case 'settled':
        void outputs.push(() => replies.settled(heard.call));
        return;
      case 'background':
        lastTurn.changed(heard.background);
        return;
      case 'ended':
        turnEnded(heard);
    }
  }

  function turnEnded({ result, background, hadAgents }: Extract<Heard, { heard: 'ended' }>): void {
    const command = hadAgents ? undefined : ownCommand(beginning.prompt, result);
    if (command) void outputs.output(`${command} ${TAKEN_FOR_COMMAND}`, { type: 'status' });
    if (replies.wasDismissed()) expectWork();
    else lastTurn.ended(result, background);
  }

  /** It goes on by itself now; if it does not, it is told what it needs to know. */
  function expectWork(): void {
    idle = setTimeout(() => send(userMessage(beginning.otherwise)), CARRIES_ON_WITHIN_MS);
  }

  /** A person who stops it stops what it does, not its conversation: that is told so. */
  function leave(): void {
    const isStopped = !isLeaving(context.signal) && !replies.hasForm();
    if (isStopped) send(interrupt());
    if (isStopped) talk?.closeInput();
    // With a form it ends by itself, and keeps the call for the run that carries the answer.
    endWithin(replies.hasForm() || isStopped ? LAST_WORDS_MS : 0);
  }

  talk = await startClaude(context, spec, beginning, {
    signal: stop.signal,
    onLine(line) {
      const message = readMessage(line);
      if (message) for (const heard of hear(message)) take(heard);
    },
  });
  context.signal.addEventListener('abort', leave, { once: true });
  if (context.signal.aborted) leave();
  // What it started may take its time to end; meanwhile nothing that a person decides reaches it any more.
  void talk.exited.then(() => {
    isOver = true;
    replies.close();
  });
  const exit = await talk.ended;
  context.signal.removeEventListener('abort', leave);
  clearTimeout(idle);
  clearTimeout(lastWords);
  lastTurn.close();
  replies.close();
  const owes = replies.owes();
  await outputs.flush();
  context.signal.throwIfAborted();
  if (failure) throw failure;
  return endingOf(exit, lastTurn.result(), hasBegun, owes);
}
