// `holdpoint inbox`: everything that is waiting for an answer, live and driven by the keyboard. Connects the pure parts:
// events of the server and keys change the state, the state is drawn, and decisions are sent.
import { type Client, listAll } from '../../client/client.ts';
import { followInbox } from '../../client/inbox-feed.ts';
import { StreamRefused } from '../../client/stream.ts';
import { printAsks } from '../ask-table.ts';
import { Command } from '../command.ts';
import type { ServerFlags } from '../command-flags.ts';
import { reportOf } from '../failure.ts';
import { paste, press } from '../inbox/keys.ts';
import { openTerminal, type Terminal } from '../inbox/screen.ts';
import { type Effect, initialState, type Transition } from '../inbox/state.ts';
import { type InboxEvent, update } from '../inbox/update.ts';
import { view } from '../inbox/view.ts';
import { isObject } from '../json-input.ts';
import { isInteractive, note, paint, printJson } from '../output.ts';
import { programName } from '../program-name.ts';
import { editorOf, editText } from '../prompt/editor.ts';
import { connect } from '../server-connection.ts';
import { reportSighting } from '../sighting.ts';
import { interruptible } from '../signals.ts';

interface InboxFlags extends ServerFlags {
  bell?: boolean;
}

type Dispatch = (event: InboxEvent) => void;

const TICK_MS = 1000;

export function inboxCommand(): Command {
  return new Command('inbox', 'everything that is waiting for an answer, live; ? shows the keys')
    .option('--bell', 'ring when something new is asked')
    .withExamples('holdpoint inbox', 'holdpoint inbox --json')
    .withServer()
    .action(inbox);
}

function inbox(flags: InboxFlags): Promise<void> {
  // Notes go to the footer as soon as the screen is taken over.
  const notes = { write: note };
  return interruptible(
    'nothing was answered',
    async (interruption) => {
      const client = await interruption.or(connect(flags, (text) => notes.write(text)));
      if (flags.json || !isInteractive()) return listOnce(client, flags);
      await live(client, flags, notes, interruption.signal);
    },
    ['SIGINT', 'SIGTERM', 'SIGHUP'],
  );
}

/** Without a terminal: what is pending now. */
async function listOnce(client: Client, flags: InboxFlags): Promise<void> {
  const asks = await listAll((page) => client.asks.list({ status: 'pending', ...page }));
  if (flags.json) return printJson(asks);
  printAsks(
    asks.map((ask) => ({ ask })),
    'nothing is waiting for an answer',
  );
}

async function live(
  client: Client,
  flags: InboxFlags,
  notes: { write(text: string): void },
  interrupted: AbortSignal,
): Promise<void> {
  const over = Promise.withResolvers<void>();
  const stop = new AbortController();
  const { stdout, env } = process;
  const editor = editorOf(env);
  const reportedIds = new Set<string>();
  let state = initialState({
    programName: programName(),
    hasEditor: editor !== undefined,
    columns: stdout.columns,
    rows: stdout.rows,
    nowMs: Date.now(),
  });

  const terminal = openTerminal(paint, {
    key: (key) => apply(press(current(), key)),
    pasted: (text) => apply({ state: paste(current(), text), effects: [] }),
    resized: (columns, rows) => dispatch({ type: 'resized', columns, rows }),
  });
  const current = () => ({ ...state, nowMs: Date.now() });
  const dispatch: Dispatch = (event) => apply(update(current(), event));

  function apply(transition: Transition): void {
    state = transition.state;
    for (const effect of transition.effects) carryOut(effect);
    terminal.draw(view(state));
  }

  function carryOut(effect: Effect): void {
    if (effect.do === 'quit') over.resolve();
    if (effect.do === 'redraw') terminal.invalidate();
    if (effect.do === 'bell' && flags.bell) terminal.bell();
    if (effect.do === 'report_sighting' && !reportedIds.has(effect.ask.ask_id)) {
      reportedIds.add(effect.ask.ask_id);
      void reportSighting(client, effect.ask.request);
    }
    if (effect.do === 'suspend') suspend(terminal, () => dispatch({ type: 'tick', nowMs: Date.now() }));
    if (effect.do === 'decide' || effect.do === 'answer') void send(client, effect, dispatch);
    if (effect.do === 'comment') void sendComment(client, effect, dispatch);
    if (effect.do === 'take' || effect.do === 'release' || effect.do === 'snooze')
      void sendMark(client, effect, dispatch);
    if (effect.do === 'open_editor' && editor) void openEditor(terminal, editor, effect, dispatch);
  }

  notes.write = (text) => dispatch({ type: 'notice', text, style: 'warn' });
  client.signIn.me().then(
    ({ name }) => dispatch({ type: 'me', name }),
    () => {},
  );
  const ticking = setInterval(() => dispatch({ type: 'tick', nowMs: Date.now() }), TICK_MS);
  interrupted.addEventListener('abort', () => over.resolve(), { once: true });
  // A defect is reported after the terminal has been restored.
  process.once('uncaughtException', over.reject);
  followInbox(
    client,
    {
      raised: (asks, isNews) => dispatch({ type: 'raised', asks, isNews }),
      settled: (askId, answer) => dispatch({ type: 'settled', askId, answer }),
      completed: (ask) => dispatch({ type: 'completed', ask }),
      acted: (askId, event, act, atMs) => dispatch({ type: 'acted', askId, event, act, atMs }),
      session: (session) => dispatch({ type: 'session', session }),
      link: (link) => dispatch({ type: 'link', link }),
    },
    stop.signal,
  ).catch(over.reject);
  terminal.draw(view(state));
  try {
    await over.promise;
  } catch (error) {
    throw error instanceof StreamRefused ? error.problem : error;
  } finally {
    clearInterval(ticking);
    stop.abort();
    terminal.close();
    process.removeListener('uncaughtException', over.reject);
    process.stdin.unref();
  }
}

/** An answer has its own idempotency key, so that a retry after a lost connection is the same answer. */
async function send(
  client: Client,
  effect: Extract<Effect, { do: 'decide' | 'answer' }>,
  dispatch: Dispatch,
): Promise<void> {
  const { ask_id: askId, run_id } = effect.ask;
  const options = { idempotencyKey: crypto.randomUUID() };
  try {
    if (effect.do === 'decide') await client.approvals.decideRun(run_id, { resolutions: [effect.resolution] }, options);
    else await client.questions.answerRun(run_id, { resolution: effect.resolution }, options);
    dispatch({ type: 'acknowledged', askId });
  } catch (error) {
    dispatch({ type: 'refused', askId, text: reportOf(error).message });
  }
}

async function sendComment(
  client: Client,
  { ask, text }: Extract<Effect, { do: 'comment' }>,
  dispatch: Dispatch,
): Promise<void> {
  try {
    await client.asks.comment(ask.ask_id, text, { idempotencyKey: crypto.randomUUID() });
  } catch (error) {
    dispatch({ type: 'notice', text: `The comment was not sent: ${reportOf(error).message}`, style: 'bad' });
  }
}

/** The change itself arrives with the stream. */
async function sendMark(
  client: Client,
  effect: Extract<Effect, { do: 'take' | 'release' | 'snooze' }>,
  dispatch: Dispatch,
): Promise<void> {
  const { ask_id } = effect.ask;
  try {
    if (effect.do === 'snooze') await client.asks.snooze(ask_id, effect.untilMs);
    else await client.asks[effect.do](ask_id);
  } catch (error) {
    dispatch({ type: 'notice', text: `Nothing was changed: ${reportOf(error).message}`, style: 'bad' });
  }
}

async function openEditor(
  terminal: Terminal,
  editor: string,
  { ask, input }: Extract<Effect, { do: 'open_editor' }>,
  dispatch: Dispatch,
): Promise<void> {
  terminal.pause();
  try {
    const text = await editText(editor, 'input.json', `${JSON.stringify(input, undefined, 2)}\n`);
    const edited: unknown = JSON.parse(text);
    if (!isObject(edited)) throw new Error('it must be a JSON object');
    terminal.resume();
    dispatch({ type: 'edited', askId: ask.ask_id, input: edited });
  } catch (error) {
    terminal.resume();
    dispatch({ type: 'notice', text: `Nothing was changed: ${(error as Error).message}`, style: 'bad' });
  }
}

/** Stops the whole job, as the shell expects of Ctrl-Z; `fg` continues it. */
function suspend(terminal: Terminal, redraw: () => void): void {
  terminal.pause();
  process.once('SIGCONT', () => {
    terminal.resume();
    redraw();
  });
  process.kill(0, 'SIGTSTP');
}
