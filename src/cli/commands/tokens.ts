// `holdpoint tokens`: who may call the server. Create, list, revoke. A secret is printed once, alone on standard output.
import { Command, Option } from 'commander';
import { type Client, every } from '../../client/client.ts';
import { duration, instant } from '../../client/times.ts';
import { withExamples } from '../help-examples.ts';
import { print, printJson, printTable } from '../output.ts';
import { findToken } from '../record-lookup.ts';
import {
  connect,
  type MutationFlags,
  note,
  once,
  type ServerFlags,
  wholeNumber,
  withMutation,
  withServer,
} from '../server-connection.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

type Token = Awaited<ReturnType<Client['tokens']['list']>>['items'][number];

const SCOPES = ['operator', 'viewer', 'agent', 'worker'] as const;

export function tokensCommand(): Command {
  const command = new Command('tokens').description('who may call the server: create, list, revoke');
  withExamples(command, 'holdpoint tokens create --scope viewer --name dashboard', 'holdpoint tokens list');
  for (const add of [createCommand, listCommand, revokeCommand]) command.addCommand(add());
  return command;
}

interface CreateFlags extends MutationFlags {
  scope: (typeof SCOPES)[number];
  name?: string;
  sessionId?: string;
  expiresAfterMs?: string;
}

function createCommand(): Command {
  const command = new Command('create')
    .description('make a token; its secret is shown this once')
    .addOption(new Option('--scope <scope>', 'what it may do').choices(SCOPES).makeOptionMandatory())
    .option('--name <name>', 'how its answers are signed')
    .option('--session-id <id>', 'the one session of an agent token')
    .option('--expires-after-ms <number>', 'how long it is good; for ever otherwise');
  withExamples(
    command,
    'holdpoint tokens create --scope viewer --name dashboard',
    'holdpoint tokens create --scope agent --session-id nightly --expires-after-ms 3600000',
  );
  return withMutation(command).action(async (flags: CreateFlags) => {
    const expires = wholeNumber('--expires-after-ms', flags.expiresAfterMs);
    const client = await connect(flags);
    const body = {
      scope: flags.scope,
      name: flags.name,
      session_id: flags.sessionId,
      expires_after_ms: expires,
    };
    const made = await once(flags, (options) => client.tokens.create(body, options));
    if (flags.json) return printJson(made);
    note(`made ${made.token_id} (${made.scope}, ${oneLine(made.name)}). Keep it: it is not shown again.`);
    print(line(made.token));
  });
}

function listCommand(): Command {
  const command = new Command('list')
    .description('tokens that are good')
    .option('--all', 'revoked and expired ones too');
  withExamples(command, 'holdpoint tokens list --all');
  return withServer(command).action(async (flags: ServerFlags & { all?: boolean }) => {
    const client = await connect(flags);
    const now = Date.now();
    const tokens: Token[] = [];
    for await (const token of every((page) => client.tokens.list({ limit: 500, ...page })))
      if (flags.all || (token.revoked_at_ms === undefined && (token.expires_at_ms ?? now + 1) > now))
        tokens.push(token);
    if (flags.json) return printJson(tokens);
    const rows = tokens.map((token) => [
      line(span(token.token_id, 'bold')),
      line(token.scope),
      line(span(stateOf(token, now), 'dim')),
      line(oneLine(token.session_id ?? '')),
      line(oneLine(token.name)),
    ]);
    const columns = ['TOKEN', 'SCOPE', 'GOOD', 'SESSION'].map((title) => ({ title }));
    printTable([...columns, { title: 'NAME', flexible: true }], rows);
  });
}

function stateOf(token: Token, now: number): string {
  if (token.revoked_at_ms !== undefined) return `revoked ${instant(token.revoked_at_ms)}`;
  if (token.expires_at_ms === undefined) return 'always';
  return token.expires_at_ms > now ? `for ${duration(token.expires_at_ms - now)}` : 'expired';
}

function revokeCommand(): Command {
  const command = new Command('revoke')
    .description('make a token worthless at once')
    .argument('<token>', 'its id, the beginning or end of it, or its name');
  withExamples(command, 'holdpoint tokens revoke dashboard');
  return withMutation(command).action(async (typed: string, flags: MutationFlags) => {
    const client = await connect(flags);
    const id = await findToken(client, typed);
    const token = await once(flags, (options) => client.tokens.revoke(id, options));
    if (flags.json) return printJson(token);
    print(line(`${token.token_id} (${oneLine(token.name)}) is `, span('revoked', 'bad')));
  });
}
