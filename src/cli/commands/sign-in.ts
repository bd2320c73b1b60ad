// `holdpoint sign-in`: prints a link that signs a browser in, alone on standard output, so that it can be piped.
import { Option } from 'commander';
import { duration } from '../../client/times.ts';
import { SIGN_IN_SCOPES } from '../../core/sign-in.ts';
import { Command } from '../command.ts';
import type { MutationFlags } from '../command-flags.ts';
import { note, print, printJson } from '../output.ts';
import { connect, once } from '../server-connection.ts';
import { line } from '../text/spans.ts';

interface Flags extends MutationFlags {
  scope?: (typeof SIGN_IN_SCOPES)[number];
  name?: string;
}

export function signInCommand(): Command {
  return new Command('sign-in', 'print a one-time link that signs a browser in')
    .addOption(new Option('--scope <scope>', 'what the browser may do (operator)').choices(SIGN_IN_SCOPES))
    .option('--name <name>', 'the name under which it answers')
    .withExamples('holdpoint sign-in', 'holdpoint sign-in --name mate', 'holdpoint sign-in --scope viewer')
    .withMutation()
    .action(async (flags: Flags) => {
      const client = await connect(flags);
      const { scope, name } = flags;
      const link = await once(flags, (options) => client.signIn.offer({ scope, name }, options));
      if (flags.json) return printJson(link);
      note(`this link works once, within ${duration(link.expires_at_ms - Date.now())}:`);
      print(line(link.url));
    });
}
