// `holdpoint notify`: tests whether a person or a webhook can be reached, and shows who is notified.
import { instant } from '../../client/times.ts';
import { Command } from '../command.ts';
import type { ServerFlags } from '../command-flags.ts';
import { Failure } from '../failure.ts';
import { note, print, printJson, printList } from '../output.ts';
import { connect } from '../server-connection.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

export function notifyCommand(): Command {
  return new Command('notify', 'notifications of requests: test, list')
    .withExamples('holdpoint notify list')
    .withSubcommands(testCommand(), listCommand());
}

function testCommand(): Command {
  return new Command('test', 'send a test notification, and say whether the provider accepted it')
    .argument('[who]', 'a person or a webhook; yourself by default')
    .withExamples('holdpoint notify test ops')
    .withServer()
    .action(async (who: string | undefined, flags: ServerFlags) => {
      const client = await connect(flags);
      const tested = await client.notices.test(who);
      if (flags.json) printJson(tested);
      else for (const each of tested.results) print(line(...verdict(each)));
      if (tested.problem !== undefined) throw new Failure('not_found', oneLine(tested.problem));
      if (tested.results.some(({ state }) => state !== 'accepted'))
        throw new Failure('unreachable', `the test did not reach every device and webhook of ${oneLine(tested.who)}`);
    });
}

type Result = Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['notices']['test']>>['results'][number];

const verdict = ({ who, channel = '', device, state, reason }: Result) => [
  span(`${oneLine(`${who} by ${channel}${device === undefined ? '' : ` (${device})`}`)}: `),
  state === 'accepted'
    ? span('accepted', 'good')
    : span(`${state}${reason === undefined ? '' : `: ${oneLine(reason)}`}`, 'bad'),
];

function listCommand(): Command {
  return new Command('list', 'devices that are notified, and problems with routes')
    .withExamples('holdpoint notify list --json')
    .withServer()
    .action(async (flags: ServerFlags) => {
      const client = await connect(flags);
      const [devices, settings] = await Promise.all([client.notices.devices(), client.notices.settings()]);
      printList(devices, flags, 'no device is notified: switch notifications on in the page, under Notifications', {
        device: ({ device_id }) => line(span(device_id, 'bold')),
        person: ({ name }) => oneLine(name),
        label: ({ label }) => oneLine(label),
        since: ({ created_at_ms }) => instant(created_at_ms),
        state: ({ lost }) => (lost === undefined ? 'notified' : oneLine(lost)),
      });
      if (settings.routes_fault !== undefined) note(oneLine(settings.routes_fault));
      if (settings.unknown_names.length > 0)
        note(oneLine(`routes name ${settings.unknown_names.join(', ')}, who has no device and no webhook`));
      if (settings.unreached.length > 0)
        note(`nobody could be notified of ${settings.unreached.length} pending requests`);
    });
}
