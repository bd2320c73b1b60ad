// Runs commands for an ACP agent that uses the terminals of its client: starts each in a shell, collects what it prints, and
// ends it when it is released or the agent is gone. Decides nothing: a command that gets here is allowed.
import { RequestError } from '@agentclientprotocol/sdk';
import type { AgentContext, LineProcess } from '../agent.ts';

interface Terminal {
  process: LineProcess;
  stop: AbortController;
  limitBytes: number;
  text: string;
  isTruncated: boolean;
  exitStatus?: { exitCode: number; signal: string | null };
}

type Named = { terminalId: string };

const MOST_OUTPUT_BYTES = 1024 * 1024;
const MOST_TERMINALS = 100;

export function createTerminals({ processes, env, run }: Pick<AgentContext, 'processes' | 'env' | 'run'>) {
  const terminals = new Map<string, Terminal>();
  /** Commands of which something is left, also those that are just being started or whose terminal was released. */
  const running = new Map<AbortController, Promise<unknown>>();
  let isClosed = false;

  function of({ terminalId }: Named): Terminal {
    const terminal = terminals.get(terminalId);
    if (!terminal) throw RequestError.invalidParams(undefined, `there is no terminal ${terminalId}`);
    return terminal;
  }

  return {
    /** Resolves to the id of the terminal once the command has begun. */
    async create(line: string, folder: string, limitBytes = MOST_OUTPUT_BYTES): Promise<string> {
      if (isClosed) throw RequestError.invalidRequest(undefined, 'the agent is gone');
      if (terminals.size >= MOST_TERMINALS)
        throw RequestError.invalidParams(undefined, 'there are too many terminals: release some');
      const stop = new AbortController();
      const limit = Math.min(limitBytes, MOST_OUTPUT_BYTES);
      const terminal = { stop, limitBytes: limit, text: '', isTruncated: false } as Terminal;
      const started = processes.start({
        argv: ['/bin/sh', '-c', `exec 2>&1\n${line}`],
        folder,
        env: { ...env, HOLDPOINT_RUN_ID: run.run_id },
        mark: `HOLDPOINT_RUN_ID=${run.run_id}`,
        signal: stop.signal,
        onLine: (text) => print(terminal, text),
      });
      const over = started.then(({ ended }) => ended).catch(() => {});
      running.set(stop, over);
      void over.then(() => running.delete(stop));
      terminal.process = await started;
      terminal.process.closeInput();
      void terminal.process.ended.then(({ exitCode, signal }) => {
        terminal.exitStatus = { exitCode, signal: signal ?? null };
      });
      const id = `terminal-${crypto.randomUUID()}`;
      terminals.set(id, terminal);
      return id;
    },
    output(named: Named) {
      const terminal = of(named);
      const { exitStatus } = terminal;
      truncate(terminal);
      return { output: terminal.text, truncated: terminal.isTruncated, ...(exitStatus && { exitStatus }) };
    },
    async waitForExit(named: Named) {
      const { exitCode, signal } = await of(named).process.ended;
      return { exitCode, signal: signal ?? null };
    },
    kill(named: Named) {
      of(named).stop.abort();
      return {};
    },
    release(named: Named) {
      of(named).stop.abort();
      terminals.delete(named.terminalId);
      return {};
    },
    /** Resolves when nothing is left of any command. None begins after that. */
    async close(): Promise<void> {
      isClosed = true;
      for (const stop of running.keys()) stop.abort();
      await Promise.all(running.values());
    },
  };
}

function print(terminal: Terminal, line: string): void {
  terminal.text += `${line}\n`;
  // Not with every line: each time copies what is left.
  if (terminal.text.length > 2 * MOST_OUTPUT_BYTES) truncate(terminal);
}

/** Leaves the end of the output, from the beginning of a character on. */
function truncate(terminal: Terminal): void {
  const bytes = Buffer.from(terminal.text);
  let from = bytes.length - terminal.limitBytes;
  if (from <= 0) return;
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  terminal.text = bytes.subarray(from).toString();
  terminal.isTruncated = true;
}
