// `holdpoint hook <agent>`: what a hook of the person's own agent runs. Reads what the agent wants to do from standard input,
// waits until a person has decided it here, and prints the decision. When it prints nothing and exits 0 the agent asks at
// its own prompt. Not for people to type, so it is in no list of commands.
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { createClient } from '../../client/client.ts';
import { findToken, keptToken } from '../../client/local.ts';
import { withExamples } from '../help-examples.ts';

interface HookFlags {
  url: string;
  data: string;
}

export function hookCommand(): Command {
  const command = new Command('hook')
    .description('what a connected agent runs to ask here')
    .argument('<agent>', 'the agent')
    .requiredOption('--url <address>', 'the server')
    .requiredOption('--data <folder>', 'the state folder with the token');
  withExamples(command, 'holdpoint hook codex --url http://127.0.0.1:4777 --data .');
  return command.action(hook);
}

async function hook(agent: string, { url, data }: HookFlags): Promise<void> {
  // Told by the launcher too, when it or the agent was killed: whoever was asked is not to be kept waiting.
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  process.once('SIGINT', () => stop.abort());
  try {
    // A run that Holdpoint itself hosts asks through its worker.
    if (/^run_/.test(process.env.HOLDPOINT_RUN_ID ?? '')) return;
    const payload: unknown = JSON.parse(await text(process.stdin));
    const connect = () => {
      // The folder that was named belongs to that server; a token of the shell may be for another one.
      const kept = keptToken(data, ['worker.token', 'operator.token']);
      const token = kept ?? findToken({ ...process.env, HOLDPOINT_DATA: data }, []);
      return createClient({ url, token });
    };
    const { decideByHook } = await import('../../boot/hook.ts');
    const decision = await decideByHook(agent, payload, { connect, data, env: process.env, signal: stop.signal });
    if (decision !== undefined) process.stdout.write(`${JSON.stringify(decision)}\n`);
  } catch (error) {
    process.stderr.write(`holdpoint: nobody was asked here: ${(error as Error).message}\n`);
  } finally {
    process.exitCode = 0;
  }
}
