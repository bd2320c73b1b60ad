// `holdpoint hook <agent>`: the program that a hook of an installed agent calls. Reads the hook's payload from standard input, waits
// for the decision on the server, and prints it. Without output and with exit code 0 the agent shows its own prompt, so
// every error ends that way. Hidden from the help: people do not type it. The launcher (bin/holdpoint) has left already
// where a worker hosts the run, which asks through that worker.
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createClient } from '../../client/client.ts';
import { findToken, keptToken } from '../../client/local.ts';
import { ambiguityIn, membersOf } from '../../core/json-ambiguity.ts';
import { Command } from '../command.ts';

interface HookFlags {
  url?: string;
  data?: string;
}

export function hookCommand(): Command {
  return new Command('hook', 'called by the hook of a connected agent')
    .argument('<agent>', 'the agent')
    .option('--url <address>', "the server; without it, as the agent's settings say")
    .option('--data <folder>', 'the state folder with the token; without it, likewise')
    .withExamples('holdpoint hook codex --url http://127.0.0.1:4777 --data .')
    .action(hook);
}

async function hook(agent: string, flags: HookFlags): Promise<void> {
  // Also sent by the launcher when it or the agent was killed: the ask is then withdrawn. A repeated signal must not kill
  // this process before the withdrawal is sent.
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT']) process.on(name, () => stop.abort());
  try {
    const sent = await text(addAbortSignal(stop.signal, process.stdin));
    const payload: unknown = JSON.parse(sent);
    const { decideByHook, hookTarget } = await import('../../boot/hook.ts');
    const { url, data } = await hookTarget(agent, flags, process.env);
    const ambiguity = ambiguityIn(sent, membersOf(payload));
    const connect = (own: string | undefined) => {
      if (ambiguity !== undefined) throw new Error(`the call is ambiguous: ${ambiguity}`);
      // The state folder belongs to this server; a token in the environment may be for another one.
      const stored = keptToken(data, ['worker.token', 'operator.token']);
      const token = own ?? stored ?? findToken({ ...process.env, HOLDPOINT_DATA: data }, []);
      return createClient({ url, token });
    };
    const decision = await decideByHook(agent, payload, {
      url,
      connect,
      data,
      env: process.env,
      signal: stop.signal,
    });
    if (decision !== undefined) process.stdout.write(`${JSON.stringify(decision)}\n`);
  } catch (error) {
    process.stderr.write(`holdpoint: the decision could not be asked for here: ${(error as Error).message}\n`);
  } finally {
    process.exitCode = 0;
  }
}
