// `holdpoint grants`: lists what was allowed in advance, revokes it, and previews what "always" would allow.

import { listAll } from '../../client/client.ts';
import { duration, instant } from '../../client/times.ts';
import type { GrantPreview, GrantView, PastCall } from '../../core/grant.ts';
import type { ApprovalAskView } from '../../core/views.ts';
import { type AlwaysFlags, alwaysOf, withAlways } from '../always-flags.ts';
import { Command } from '../command.ts';
import type { MutationFlags, ServerFlags } from '../command-flags.ts';
import { Failure } from '../failure.ts';
import { findAsk, findGrant } from '../lookup.ts';
import { note, print, printJson, printList } from '../output.ts';
import { connect, once } from '../server-connection.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

export function grantsCommand(): Command {
  return new Command('grants', 'what is allowed in advance by "always": list, revoke, preview')
    .withExamples('holdpoint grants list', 'holdpoint grants preview d1d077 --match "rm -rf *"')
    .withSubcommands(listCommand(), revokeCommand(), previewCommand());
}

const coveredText = ({ tool, matches }: Pick<GrantView, 'tool' | 'matches'>): string =>
  oneLine(matches && Object.keys(matches).length > 0 ? `${tool} ${JSON.stringify(matches)}` : `${tool} (every call)`);

function listCommand(): Command {
  return new Command('list', 'grants in force')
    .option('--all', 'include revoked, expired and used-up ones')
    .option('--session-id <id>', 'only those given in this session')
    .withExamples('holdpoint grants list --all')
    .withServer()
    .action(async (flags: ServerFlags & { all?: boolean; sessionId?: string }) => {
      const client = await connect(flags);
      const all = await listAll((page) => client.grants.list({ session_id: flags.sessionId, ...page }));
      const grants = all.filter((grant) => flags.all || grant.is_usable);
      printList(grants, flags, 'nothing is allowed in advance; --all includes grants that have ended', {
        grant: (grant) => line(span(grant.grant_id, 'bold')),
        scope: (grant) => grant.scope,
        state: (grant) => line(span(stateOf(grant, Date.now()), 'dim')),
        by: (grant) => oneLine(grant.given_by),
        session: (grant) => oneLine(grant.session_id),
        allows: coveredText,
      });
    });
}

function stateOf(grant: GrantView, now: number): string {
  if (grant.revoked_at_ms !== undefined) return `revoked ${instant(grant.revoked_at_ms)}`;
  const uses = `used ${grant.uses}${grant.most_uses === undefined ? '' : ` of ${grant.most_uses}`}`;
  if (grant.expires_at_ms === undefined) return uses;
  return grant.expires_at_ms > now ? `${uses}, for ${duration(grant.expires_at_ms - now)}` : `${uses}, expired`;
}

function revokeCommand(): Command {
  return new Command('revoke', 'revoke a grant; from the next call on, people are asked again')
    .argument('[grant]', 'its id, or the beginning or end of it')
    .option('--session-id <id>', 'revoke all that were given in this session')
    .withExamples('holdpoint grants revoke --session-id nightly')
    .withMutation()
    .action(async (typed: string | undefined, flags: MutationFlags & { sessionId?: string }) => {
      if ((typed === undefined) === (flags.sessionId === undefined))
        throw new Failure('usage', 'name a grant, or give --session-id for all grants of a session');
      const client = await connect(flags);
      const all = await listAll((page) => client.grants.list({ session_id: flags.sessionId, ...page }));
      const ids =
        typed === undefined
          ? all.filter((each) => each.is_usable).map((each) => each.grant_id)
          : [findGrant(all, typed)];
      const revoked: GrantView[] = [];
      for (const id of ids) revoked.push(await once(flags, (options) => client.grants.revoke(id, options)));
      if (flags.json) return printJson(typed === undefined ? revoked : revoked[0]);
      if (revoked.length === 0) note('nothing was allowed in advance there');
      for (const grant of revoked) print(line(`${grant.grant_id} (${coveredText(grant)}) is `, span('revoked', 'bad')));
    });
}

function previewCommand(): Command {
  return withAlways(new Command('preview', 'what "always" for an approval would allow; grants nothing'))
    .argument('<request_id>', 'the approval, or the beginning or end of its id')
    .withExamples('holdpoint grants preview d1d077 --match "rm -rf *"')
    .withServer()
    .action(async (typed: string, flags: ServerFlags & AlwaysFlags) => {
      const client = await connect(flags);
      const ask = (await findAsk(client, 'approval', typed, {})) as ApprovalAskView;
      const preview = await client.grants.preview({ request_id: ask.ask_id, always: alwaysOf(flags, ask) });
      if (flags.json) printJson(preview);
      else printPreview(preview);
    });
}

function printPreview(preview: GrantPreview): void {
  const verb = preview.covers_request ? span('would allow ', 'good') : span('would be refused ', 'bad');
  print(line(verb, span(coveredText(preview), 'bold')), line(span(oneLine(preview.reason), 'dim')));
  const calls = (title: string, list: readonly PastCall[]) => {
    if (list.length > 0) print(line(title));
    for (const { text, calls: count } of list) print(line(span(`  ${count} ×  ${oneLine(text)}`)));
  };
  calls('it would have allowed in this session:', preview.would_match);
  calls('it would still have asked:', preview.would_not_match);
  if (preview.suggestions.length > 0) print(line('it may be given for:'));
  for (const each of preview.suggestions) print(line(span(`  ${coveredText({ tool: preview.tool, matches: each })}`)));
}
