// `holdpoint keys`: lists the public keys that sign the event log, and rotates the one that signs. The server has the private
// keys; they are neither sent nor shown.
import { instant } from '../../client/times.ts';
import { Command } from '../command.ts';
import type { MutationFlags, ServerFlags } from '../command-flags.ts';
import { note, print, printJson, printList } from '../output.ts';
import { connect, once } from '../server-connection.ts';
import { line, span } from '../text/spans.ts';

export function keysCommand(): Command {
  return new Command('keys', 'keys that sign the event log: list, rotate')
    .withExamples('holdpoint keys list', 'holdpoint keys rotate')
    .withSubcommands(listCommand(), rotateCommand());
}

function listCommand(): Command {
  return new Command('list', 'public keys, oldest first; the newest one signs')
    .withExamples('holdpoint keys list')
    .withServer()
    .action(async (flags: ServerFlags) => {
      const client = await connect(flags);
      printList(await client.auditKeys.list(), flags, 'no key has signed yet', {
        key: ({ key }) => line(span(key, 'bold')),
        introduced: ({ introduced_at_ms }) =>
          introduced_at_ms === undefined ? 'the first key' : instant(introduced_at_ms),
        state: ({ is_current }) => (is_current ? line(span('signs', 'good')) : 'replaced'),
      });
    });
}

function rotateCommand(): Command {
  return new Command('rotate', 'sign with a new key from now on; the old key signs its introduction')
    .withExamples('holdpoint keys rotate')
    .withMutation()
    .action(async (flags: MutationFlags) => {
      const client = await connect(flags);
      const made = await once(flags, (options) => client.auditKeys.rotate(options));
      if (flags.json) return printJson(made);
      note(
        'the log is signed with a new key; store it elsewhere too. `audit verify --key` accepts the old one as before',
      );
      print(line(made.key));
    });
}
