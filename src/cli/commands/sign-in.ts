// `holdpoint sign-in`: a link that signs a browser in, alone on standard output, so that it can be piped or opened.
import { Command, Option } from 'commander';
import { duration } from '../../client/times.ts';
import { SIGN_IN_SCOPES } from '../../core/sign-in.ts';
import { withExamples } from '../help-examples.ts';
import { print, printJson } from '../output.ts';
import { connect, type MutationFlags, note, once, withMutation } from '../server-connection.ts';
import { line } from '../text/spans.ts';

interface Flags extends MutationFlags {
  scope?: (typeof SIGN_IN_SCOPES)[number];
  name?: string;
}

export function signInCommand(): Command {
  const command = new Command('sign-in')
    .description('print a link that signs a browser in, once')
    .addOption(new Option('--scope <scope>', 'what the browser may do (operator)').choices(SIGN_IN_SCOPES))
    .option('--name <name>', 'whose it is: how answers from it are signed');
  withExamples(command, 'holdpoint sign-in', 'holdpoint sign-in --name mate', 'holdpoint sign-in --scope viewer');
  return withMutation(command).action(async (flags: Flags) => {
    const client = await connect(flags);
    const { scope, name } = flags;
    const link = await once(flags, (options) => client.signIn.offer({ scope, name }, options));
    if (flags.json) return printJson(link);
    note(`works once, for ${duration(link.expires_at_ms - Date.now())}:`);
    print(line(link.url));
  });
}
