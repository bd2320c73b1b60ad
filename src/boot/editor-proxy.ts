// Composes a proxy between an editor, on standard input and output, and the program of an agent, which it starts.
import { loadAgent } from '../agents/registry.ts';
import type { Client } from '../client/client.ts';
import { Waits } from '../client/waits.ts';
import { splitLines } from '../node/lines.ts';
import { endAbandonedHooks, noteHook } from '../worker/hook-notes.ts';
import { machineLabel } from '../worker/machine-label.ts';
import { processes } from '../worker/process.ts';

interface EditorSide {
  argv: readonly string[];
  client: Client;
  /** The state folder. */
  data: string;
  signal: AbortSignal;
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  note(text: string): void;
}

const EXIT_WITHIN_MS = 5000;

/** Resolves to the exit code of the program. */
export async function proxyEditor(name: string, side: EditorSide): Promise<number> {
  const { argv, client, data, signal, input, output, note } = side;
  const agent = await loadAgent(name);
  if (!agent?.editorProxy) throw new Error(`${name} has no proxy`);
  const proxies = await agent.editorProxy();
  void endAbandonedHooks(data, name, (call) => proxies.endAbandoned(client, call)).catch(() => {});
  const waits = new Waits(client.http);
  const stop = new AbortController();
  let send = (_: string): void => {};
  /** Set while the editor does not read: what the program prints must not fill the memory meanwhile. */
  let drained: Promise<void> | undefined;
  const toEditor = (line: string): void => {
    if (output.write(`${line}\n`)) return;
    drained ??= new Promise((resolve) => output.once('drain', resolve)).then(() => {
      drained = undefined;
    });
  };
  output.on('error', () => stop.abort());
  const proxy = proxies.create({
    client,
    waits,
    // Read when something is asked: an editor must be able to work where nothing can be stored.
    get machine() {
      return machineLabel(data);
    },
    folder: process.cwd(),
    toEditor,
    toAgent: (line) => send(line),
    onNotAsked: (problem) => note(`This is asked in the editor only: ${problem}`),
    record: (call) => noteHook(data, name, call),
  });
  const id = crypto.randomUUID();
  const program = await processes.start({
    argv,
    folder: process.cwd(),
    env: { ...(process.env as Record<string, string>), HOLDPOINT_PROXY: id },
    mark: `HOLDPOINT_PROXY=${id}`,
    signal: AbortSignal.any([signal, stop.signal]),
    onLine: (line) => {
      proxy.fromAgent(line);
      return drained;
    },
  });
  send = program.send;
  splitLines(input, proxy.fromEditor);
  input.once('end', () => {
    program.closeInput();
    setTimeout(() => stop.abort(), EXIT_WITHIN_MS).unref();
  });
  const { exitCode, stderr } = await program.ended;
  input.pause();
  await proxy.close();
  waits.close();
  if (stderr.trim() !== '') note(stderr.trimEnd());
  return exitCode;
}
