// `holdpoint inbox`: everything that waits for an answer, live, keyboard driven. Ties the pure parts together: what
// happens on the server and what is typed change the state, the state is drawn, and decisions are sent.
import { Command } from 'commander';
import { type Client, every } from '../../client/client.ts';
import { followInbox, type InboxListener } from '../../client/inbox-feed.ts';
import { StreamRefused } from '../../client/stream.ts';
import type { AskView } from '../../core/views.ts';
import { printAsks } from '../ask-table.ts';
import { told } from '../failure.ts';
import { withExamples } from '../help-examples.ts';
import { paste, press } from '../inbox/keys.ts';
import { openTerminal, type Terminal } from '../inbox/screen.ts';
import { type Changed, type Effect, initialState } from '../inbox/state.ts';
import { type Happening, happen } from '../inbox/update.ts';
import { view } from '../inbox/view.ts';
import { isTerminal, paint, printJson } from '../output.ts';
import { ownName } from '../program-name.ts';
import { editorOf, editText } from '../prompt/editor.ts';
import { connect, note, type Remark, type ServerFlags, withServer } from '../server-connection.ts';
import { tellSeen } from '../sighting.ts';
import { onLeave } from '../signals.ts';

interface InboxFlags extends ServerFlags {
  bell?: boolean;
}

const TICK_MS = 1000;

export function inboxCommand(): Command {
  const command = new Command('inbox')
    .description('everything that waits for an answer, live; ? shows the keys')
    .option('--bell', 'ring when something new is asked');
  withExamples(command, 'holdpoint inbox', 'holdpoint inbox --json');
  return withServer(command).action(inbox);
}

async function inbox(flags: InboxFlags): Promise<void> {
  // Once the screen is ours, remarks go to its foot.
  const remarks = { say: note };
  const client = await connect(flags, (text) => remarks.say(text));
  if (flags.json || !isTerminal() || process.stdin.isTTY !== true) return listOnce(client, flags);
  await live(client, flags, remarks);
}

/** Where there is no terminal to live in: what is pending now. */
async function listOnce(client: Client, flags: InboxFlags): Promise<void> {
  const asks: AskView[] = [];
  for await (const ask of every((page) => client.asks.list({ status: 'pending', limit: 500, ...page }))) asks.push(ask);
  if (flags.json) return printJson(asks);
  if (asks.length === 0) return note('nothing waits for an answer');
  printAsks(asks);
}

async function live(client: Client, flags: InboxFlags, remarks: { say: Remark }): Promise<void> {
  const over = Promise.withResolvers<void>();
  const stop = new AbortController();
  const { stdout, env } = process;
  const editor = editorOf(env);
  const told = new Set<string>();
  let state = initialState({
    url: client.http.url,
    ownName: ownName(),
    hasEditor: editor !== undefined,
    columns: stdout.columns,
    rows: stdout.rows,
    nowMs: Date.now(),
  });

  const terminal = openTerminal(paint, {
    key: (key) => apply(press(current(), key)),
    pasted: (text) => apply({ state: paste(current(), text), effects: [] }),
    resized: (columns, rows) => tell({ type: 'resized', columns, rows }),
  });
  const current = () => ({ ...state, nowMs: Date.now() });
  const tell = (event: Happening) => apply(happen(current(), event));

  function apply(changed: Changed): void {
    state = changed.state;
    for (const effect of changed.effects) carryOut(effect);
    terminal.draw(view(state));
  }

  function carryOut(effect: Effect): void {
    if (effect.do === 'quit') over.resolve();
    if (effect.do === 'redraw') terminal.invalidate();
    if (effect.do === 'bell' && flags.bell) terminal.bell();
    if (effect.do === 'tell_seen' && !told.has(effect.ask.ask_id)) {
      told.add(effect.ask.ask_id);
      void tellSeen(client, effect.ask.request);
    }
    if (effect.do === 'suspend') suspend(terminal, () => tell({ type: 'tick', nowMs: Date.now() }));
    if (effect.do === 'decide' || effect.do === 'answer') void send(client, effect, tell);
    if (effect.do === 'open_editor' && editor) void openEditor(terminal, editor, effect, tell);
  }

  remarks.say = (text) => tell({ type: 'told', text, style: 'warn' });
  const ticking = setInterval(() => tell({ type: 'tick', nowMs: Date.now() }), TICK_MS);
  onLeave(() => over.resolve(), ['SIGINT', 'SIGTERM', 'SIGHUP']);
  // A defect is reported on the person's own screen, not on the one that is about to go.
  process.once('uncaughtException', over.reject);
  followInbox(client, listenerOf(tell), stop.signal).catch(over.reject);
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

const listenerOf = (tell: (event: Happening) => void): InboxListener => ({
  raised: (asks, isNews) => tell({ type: 'raised', asks, isNews }),
  settled: (askId, answer) => tell({ type: 'settled', askId, answer }),
  session: (session) => tell({ type: 'session', session }),
  link: (link) => tell({ type: 'link', link }),
});

/** An answer is sent under a key of its own, so that a repeat after a lost connection is the same answer. */
async function send(
  client: Client,
  effect: Extract<Effect, { do: 'decide' | 'answer' }>,
  tell: (event: Happening) => void,
): Promise<void> {
  const { ask_id: askId, run_id } = effect.ask;
  const options = { idempotencyKey: crypto.randomUUID() };
  try {
    if (effect.do === 'decide') await client.approvals.decideRun(run_id, { resolutions: [effect.resolution] }, options);
    else await client.questions.answerRun(run_id, { resolution: effect.resolution }, options);
    tell({ type: 'sent', askId });
  } catch (error) {
    tell({ type: 'refused', askId, text: told(error).message });
  }
}

async function openEditor(
  terminal: Terminal,
  editor: string,
  { ask, input }: Extract<Effect, { do: 'open_editor' }>,
  tell: (event: Happening) => void,
): Promise<void> {
  terminal.pause();
  try {
    const text = await editText(editor, 'input.json', `${JSON.stringify(input, undefined, 2)}\n`);
    const edited: unknown = JSON.parse(text);
    if (typeof edited !== 'object' || edited === null || Array.isArray(edited))
      throw new Error('it must be a JSON object');
    terminal.resume();
    tell({ type: 'edited', askId: ask.ask_id, input: edited as Record<string, unknown> });
  } catch (error) {
    terminal.resume();
    tell({ type: 'told', text: `Nothing was changed: ${(error as Error).message}`, style: 'bad' });
  }
}

/** As the shell expects of Ctrl-Z: stopped with the whole job, back where it was with `fg`. */
function suspend(terminal: Terminal, drawAgain: () => void): void {
  terminal.pause();
  process.once('SIGCONT', () => {
    terminal.resume();
    drawAgain();
  });
  process.kill(0, 'SIGTSTP');
}
