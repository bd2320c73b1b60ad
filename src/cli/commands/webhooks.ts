// `holdpoint webhooks`: adds, lists and removes endpoints that receive events, shows what was sent, and sends it again.
import { instant } from '../../client/times.ts';
import type { NoticeView } from '../../core/notice-views.ts';
import { AddWebhook } from '../../core/notice-views.ts';
import { Command } from '../command.ts';
import { type MutationFlags, repeated, type ServerFlags } from '../command-flags.ts';
import { Failure } from '../failure.ts';
import { note, print, printJson, printList } from '../output.ts';
import { connect, once } from '../server-connection.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

export function webhooksCommand(): Command {
  return new Command('webhooks', 'endpoints that receive events: add, list, remove, deliveries, redeliver')
    .withExamples('holdpoint webhooks list')
    .withSubcommands(addCommand(), listCommand(), removeCommand(), deliveriesCommand(), redeliverCommand());
}

interface AddFlags extends MutationFlags {
  event?: string[];
  agent?: string;
  project?: string;
  format?: string;
}

function addCommand(): Command {
  return new Command('add', 'send events to an endpoint from now on; prints its secret once')
    .argument('<name>', 'its name in routes and lists')
    .argument('<url>', 'https, unless the operator named the host in HOLDPOINT_NOTIFY_HOSTS')
    .option('--event <type>', 'only events of this type; may be repeated', repeated)
    .option('--agent <glob>', 'only sessions of these agents')
    .option('--project <glob>', 'only sessions of these projects')
    .option('--format <format>', 'standard, or slack for incoming webhooks of Slack and compatible services')
    .withExamples('holdpoint webhooks add builds https://builds.example.org/hook --event run.ended')
    .withMutation()
    .action(async (name: string, url: string, flags: AddFlags) => {
      const { event: events, agent, project, format } = flags;
      const given = Object.fromEntries(
        Object.entries({ name, url, events, agent, project, format }).filter(([, v]) => v !== undefined),
      );
      const body = AddWebhook.safeParse(given);
      if (!body.success)
        throw new Failure('usage', body.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; '));
      const client = await connect(flags);
      const added = await once(flags, (options) => client.webhooks.add(body.data, options));
      if (flags.json) return printJson(added);
      print(line(span(added.webhook_id, 'bold'), ` ${oneLine(added.name)} at ${oneLine(added.host)}`));
      print(line('secret: ', span(added.secret, 'bold'), span('  (shown once; verifies signatures)', 'dim')));
    });
}

function listCommand(): Command {
  return new Command('list', 'all webhooks')
    .withExamples('holdpoint webhooks list --json')
    .withServer()
    .action(async (flags: ServerFlags) => {
      const client = await connect(flags);
      printList(await client.webhooks.list(), flags, 'there are no webhooks', {
        webhook: ({ webhook_id }) => line(span(webhook_id, 'bold')),
        name: ({ name }) => oneLine(name),
        host: ({ host }) => oneLine(host),
        events: ({ events }) => events?.join(', ') ?? 'all',
        state: ({ lost }) => (lost === undefined ? 'active' : oneLine(lost)),
      });
    });
}

/** By its id or its name. */
async function findWebhook(client: Awaited<ReturnType<typeof connect>>, typed: string): Promise<string> {
  const found = (await client.webhooks.list()).filter(({ webhook_id, name }) => webhook_id === typed || name === typed);
  if (found[0]) return (found.find(({ lost }) => lost === undefined) ?? found[0]).webhook_id;
  throw new Failure('not_found', `there is no webhook "${oneLine(typed)}"`, 'Run `holdpoint webhooks list`.');
}

function removeCommand(): Command {
  return new Command('remove', 'remove a webhook; nothing more is sent to it')
    .argument('<webhook>', 'its id or its name')
    .withExamples('holdpoint webhooks remove ops')
    .withMutation()
    .action(async (typed: string, flags: MutationFlags) => {
      const client = await connect(flags);
      const id = await findWebhook(client, typed);
      const removed = await once(flags, (options) => client.webhooks.remove(id, options));
      if (flags.json) printJson(removed);
      else print(line(`${oneLine(removed.name)} is `, span('removed', 'bad')));
    });
}

const COLUMNS = {
  notice: ({ notice_id }: NoticeView) => line(span(notice_id, 'bold')),
  event: ({ event }: NoticeView) => event,
  at: ({ created_at_ms }: NoticeView) => instant(created_at_ms),
  state: ({ state, reason }: NoticeView) => oneLine(reason === undefined ? state : `${state}: ${reason}`),
  attempts: ({ attempts }: NoticeView) => String(attempts),
};

function deliveriesCommand(): Command {
  return new Command('deliveries', 'what was sent to a webhook, newest first')
    .argument('<webhook>', 'its id or its name')
    .withExamples('holdpoint webhooks deliveries ops')
    .withServer()
    .action(async (typed: string, flags: ServerFlags) => {
      const client = await connect(flags);
      const { items } = await client.webhooks.deliveries(await findWebhook(client, typed), { limit: 100 });
      printList(items, flags, 'nothing was sent to it yet', COLUMNS);
    });
}

function redeliverCommand(): Command {
  return new Command('redeliver', 'resend what failed, or what --notice or --since selects')
    .argument('<webhook>', 'its id or its name')
    .option('--notice <id>', 'resend this one; may be repeated', repeated)
    .option('--since <instant>', 'resend everything since then, such as 2026-11-18T08:00')
    .withExamples('holdpoint webhooks redeliver ops --since 2026-11-18')
    .withMutation()
    .action(async (typed: string, flags: MutationFlags & { notice?: string[]; since?: string }) => {
      const since = flags.since === undefined ? undefined : Date.parse(flags.since);
      if (Number.isNaN(since)) throw new Failure('usage', `--since takes an instant, not "${flags.since}"`);
      const client = await connect(flags);
      const id = await findWebhook(client, typed);
      const body = {
        ...(flags.notice && { notice_ids: flags.notice }),
        ...(since !== undefined && { since_ms: since }),
      };
      const sent = await once(flags, (options) => client.webhooks.redeliver(id, body, options));
      if (flags.json) return printJson(sent);
      note(sent.length === 0 ? 'there was nothing to send again' : `${sent.length} are sent again`);
    });
}
