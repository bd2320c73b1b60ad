// `holdpoint tokens`: creates, lists and revokes access tokens. A secret is printed once, alone on standard output.
import { Option } from 'commander';
import { type Client, listAll } from '../../client/client.ts';
import { duration, instant } from '../../client/times.ts';
import { Command } from '../command.ts';
import { type MutationFlags, type ServerFlags, wholeNumber } from '../command-flags.ts';
import { findToken } from '../lookup.ts';
import { note, print, printJson, printList } from '../output.ts';
import { connect, once } from '../server-connection.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

type Token = Awaited<ReturnType<Client['tokens']['list']>>['items'][number];

const SCOPES = ['operator', 'viewer', 'agent', 'worker'] as const;

export function tokensCommand(): Command {
  return new Command('tokens', 'access tokens of the server: create, list, revoke')
    .withExamples('holdpoint tokens create --scope viewer --name dashboard', 'holdpoint tokens list')
    .withSubcommands(createCommand(), listCommand(), revokeCommand());
}

interface CreateFlags extends MutationFlags {
  scope: (typeof SCOPES)[number];
  name?: string;
  sessionId?: string;
  label?: string[];
  expiresAfterMs?: string;
}

function createCommand(): Command {
  return new Command('create', 'create a token; its secret is shown only now')
    .addOption(new Option('--scope <scope>', 'what it may do').choices(SCOPES).makeOptionMandatory())
    .option('--name <name>', 'the name under which it answers')
    .option('--session-id <id>', 'the session of an agent token')
    .option('--label <name...>', 'labels of the work that a worker token may claim; without any, work without labels')
    .option('--expires-after-ms <number>', 'how long it is valid; by default it never expires')
    .withExamples(
      'holdpoint tokens create --scope viewer --name dashboard',
      'holdpoint tokens create --scope agent --session-id nightly --expires-after-ms 3600000',
      'holdpoint tokens create --scope worker --label gpu --name gpu-machine',
    )
    .withMutation()
    .action(async (flags: CreateFlags) => {
      const expires = wholeNumber('--expires-after-ms', flags.expiresAfterMs);
      const client = await connect(flags);
      const body = {
        scope: flags.scope,
        name: flags.name,
        session_id: flags.sessionId,
        labels: flags.label,
        expires_after_ms: expires,
      };
      const made = await once(flags, (options) => client.tokens.create(body, options));
      if (flags.json) return printJson(made);
      note(`created ${made.token_id} (${made.scope}, ${oneLine(made.name)}). Store it: it is not shown again.`);
      print(line(made.token));
    });
}

function listCommand(): Command {
  return new Command('list', 'valid tokens')
    .option('--all', 'include revoked and expired ones')
    .withExamples('holdpoint tokens list --all')
    .withServer()
    .action(async (flags: ServerFlags & { all?: boolean }) => {
      const client = await connect(flags);
      const now = Date.now();
      const isValid = ({ revoked_at_ms, expires_at_ms }: Token) =>
        revoked_at_ms === undefined && (expires_at_ms ?? now + 1) > now;
      const all = await listAll((page) => client.tokens.list(page));
      const tokens = all.filter((token) => flags.all || isValid(token));
      printList(tokens, flags, 'no token is valid; --all shows revoked and expired ones', {
        token: (token) => line(span(token.token_id, 'bold')),
        scope: (token) => token.scope,
        valid: (token) => line(span(validityOf(token, now), 'dim')),
        session: (token) => oneLine(token.session_id ?? ''),
        labels: (token) => oneLine(token.labels?.join(' ') ?? ''),
        name: (token) => oneLine(token.name),
      });
    });
}

function validityOf(token: Token, now: number): string {
  if (token.revoked_at_ms !== undefined) return `revoked ${instant(token.revoked_at_ms)}`;
  if (token.expires_at_ms === undefined) return 'always';
  return token.expires_at_ms > now ? `for ${duration(token.expires_at_ms - now)}` : 'expired';
}

function revokeCommand(): Command {
  return new Command('revoke', 'invalidate a token at once')
    .argument('<token>', 'its id, the beginning or end of it, or its name')
    .withExamples('holdpoint tokens revoke dashboard')
    .withMutation()
    .action(async (typed: string, flags: MutationFlags) => {
      const client = await connect(flags);
      const id = await findToken(client, typed);
      const token = await once(flags, (options) => client.tokens.revoke(id, options));
      if (flags.json) return printJson(token);
      print(line(`${token.token_id} (${oneLine(token.name)}) is `, span('revoked', 'bad')));
    });
}
