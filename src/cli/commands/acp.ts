// `holdpoint acp -- <command>`: what an editor starts in the place of an agent that speaks ACP. Standard input and output belong
// to the protocol; notes for a person go to standard error. Without a server the editor works as before.
import { createClient } from '../../client/client.ts';
import { serverUrl, stateFolder } from '../../client/local.ts';
import { Command } from '../command.ts';
import type { AddressFlags } from '../command-flags.ts';
import { note } from '../output.ts';
import { addressOf, tokenOf } from '../server-connection.ts';
import { interruptible } from '../signals.ts';

export function acpCommand(): Command {
  return new Command('acp', 'let an editor and this inbox answer the same agent: the first answer counts')
    .argument('<command...>', 'after --, the program that speaks ACP, with its arguments')
    .withAddress('file with the token (by default HOLDPOINT_TOKEN, or the one in the state folder)')
    .withExamples('holdpoint acp -- claude-agent-acp')
    .action(serve);
}

function serve(argv: string[], flags: AddressFlags): Promise<void> {
  return interruptible('stopped', async ({ signal }) => {
    const url = addressOf(flags.url ?? serverUrl(process.env));
    const client = createClient({ url, token: tokenOr(flags) });
    const { proxyEditor } = await import('../../boot/editor-proxy.ts');
    const { stdin: input, stdout: output } = process;
    // A command whose output is closed exits at once; what was asked for an editor that is gone has to be withdrawn first.
    output.removeAllListeners('error');
    process.stderr.on('error', () => {});
    const data = stateFolder(process.env);
    process.exitCode = await proxyEditor('acp', { argv, client, data, signal, input, output, note });
  });
}

/** An editor must be able to work without a server. */
function tokenOr(flags: AddressFlags): string {
  try {
    return tokenOf(flags, process.env, ['worker.token', 'operator.token']);
  } catch (error) {
    note(`What the agent asks is asked in the editor only: ${(error as Error).message}`);
    return '';
  }
}
