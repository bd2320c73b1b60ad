// Starts the program of one managed ACP run and speaks the protocol with it over its standard input and output. Owns the
// process; knows no request.
import type { ClientApp } from '@agentclientprotocol/sdk';
import { type AgentContext, isLeaving, type LineProcess } from '../agent.ts';
import { createStartLimit } from '../kit/start-limit.ts';
import type { AcpSpec } from './input.ts';
import { createMessageStream } from './message-stream.ts';

/** How long a cancelled agent may take to end its turn, and any agent to exit once its input is closed. */
const CANCEL_WITHIN_MS = 1000;
const EXIT_WITHIN_MS = 2000;

/** `exitOf`: the exit that an error of the connection comes from, or else that error. `onExit` is called before such errors. */
export async function launch(
  context: AgentContext,
  spec: AcpSpec,
  folder: string,
  { app, onExit }: { app: ClientApp; onExit(): void },
) {
  const { run, signal } = context;
  const stopping = new AbortController();
  const startLimit = createStartLimit(context, { ...spec, command: spec.argv[0] }, () => stopping.abort());
  let agent: LineProcess | undefined;
  const messages = createMessageStream((line) => agent?.send(line));
  agent = await context.processes.start({
    argv: spec.argv,
    folder,
    env: { ...context.env, HOLDPOINT_RUN_ID: run.run_id },
    mark: `HOLDPOINT_RUN_ID=${run.run_id}`,
    signal: stopping.signal,
    onLine: (line) => {
      startLimit.heard(line);
      messages.receive(line);
    },
  });
  const { exited, ended, closeInput } = agent;
  const connection = app.connect(messages.stream);
  let hasExited = false;
  void exited.then(() => {
    hasExited = true;
    onExit();
    messages.end();
  });
  const failure = ended.then((exit): never => {
    throw startLimit.errorOf(exit);
  });
  failure.catch(() => {});

  const exitOf = async (error: unknown): Promise<unknown> =>
    hasExited ? failure.catch((exit: unknown) => exit) : error;

  /** Resolves when nothing is left of the process. `turn`: ends once the agent has taken the cancellation, where there is one. */
  async function stop(turn?: Promise<unknown>): Promise<void> {
    if (signal.aborted && !isLeaving(signal) && turn) await within(CANCEL_WITHIN_MS, turn);
    if (signal.aborted) stopping.abort();
    else closeInput();
    await within(EXIT_WITHIN_MS, ended);
    stopping.abort();
    await ended.catch(() => {});
    connection.close();
  }
  return { agent: connection.agent, startLimit, failure, exitOf, stop };
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const limit = setTimeout(resolve, limitMs);
  const settled = work.then(
    () => {},
    () => {},
  );
  await Promise.race([settled, promise]);
  clearTimeout(limit);
}
