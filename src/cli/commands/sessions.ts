// `holdpoint sessions`: lists, shows, creates, interrupts and ends conversations with agents.
import { Option } from 'commander';
import type { Client } from '../../client/client.ts';
import { permissionsText } from '../../client/permissions-text.ts';
import { duration, instant } from '../../client/times.ts';
import { EXTERNAL_AGENT, isAttached, PERMISSIONS, type Permissions, SYSTEM_SESSION } from '../../core/session.ts';
import type { SessionView } from '../../core/views.ts';
import { Command } from '../command.ts';
import { type MutationFlags, type ServerFlags, wholeNumber } from '../command-flags.ts';
import { findSession } from '../lookup.ts';
import { note, print, printJson, printList, terminalWidth } from '../output.ts';
import { newestSessions } from '../paging.ts';
import { folderNamed } from '../run-session.ts';
import { connect, once } from '../server-connection.ts';
import { summary } from '../text/ask-text.ts';
import { fieldLines } from '../text/layout.ts';
import { statusSpan } from '../text/run-text.ts';
import { type Line, line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

export function sessionsCommand(): Command {
  return new Command('sessions', 'conversations with agents: list, show, create, interrupt, end')
    .withExamples('holdpoint sessions list', 'holdpoint sessions show nightly')
    .withSubcommands(listCommand(), showCommand(), createCommand(), interruptCommand(), endCommand());
}

function listCommand(): Command {
  return new Command('list', 'sessions, newest first; those that have not ended')
    .option('--all', 'ended ones too')
    .option('--limit <number>', 'at most this many')
    .withExamples('holdpoint sessions list', 'holdpoint sessions list --all --limit 10 --fields session_id,status')
    .withServer()
    .action(async (flags: ServerFlags & { all?: boolean; limit?: string }) => {
      const limit = wholeNumber('--limit', flags.limit);
      const isShown = ({ session_id }: SessionView) =>
        flags.all === true || flags.json === true || session_id !== SYSTEM_SESSION;
      const sessions = await newestSessions(await connect(flags), { ...flags, limit }, isShown);
      const now = Date.now();
      printList(sessions, flags, 'no session is active; --all shows ended ones', {
        session: (session) => line(span(session.session_id, 'bold')),
        status: (session) => line(statusSpan(session.status)),
        agent: (session) => session.agent,
        idle: (session) => duration(now - session.updated_at_ms),
        title: (session) => oneLine(session.title ?? session.snapshot.last_message ?? ''),
      });
    });
}

function showCommand(): Command {
  return new Command('show', 'one session')
    .argument('<session_id>', 'the session')
    .withExamples('holdpoint sessions show nightly')
    .withServer()
    .action(show);
}

async function show(typed: string, flags: ServerFlags): Promise<void> {
  const session = await findSession(await connect(flags), typed);
  if (flags.json) return printJson(session);
  print(...sessionLines(session, terminalWidth()));
}

function sessionLines(session: SessionView, width: number): Line[] {
  const { pending_approvals, pending_questions, last_message } = session.snapshot;
  const pending = [...pending_approvals, ...pending_questions];
  return [
    line(span(session.session_id, 'bold'), '  ', statusSpan(session.status)),
    ...fieldLines(
      {
        title: session.title,
        agent: session.agent === session.agent_id ? session.agent : `${session.agent} (${session.agent_id})`,
        folder: session.work_folder,
        projects: session.project_ids.join(', '),
        labels: session.labels.join(', '),
        parent: session.parent_session_id,
        permissions: permissionsText(session),
        created: instant(session.created_at_ms),
        running: session.active_run_id,
        queued: session.queued_run_ids.join(', '),
        'last said': last_message ?? undefined,
      },
      width,
    ),
    ...pending.flatMap((request) => fieldLines({ 'waits for': `${request.id}  ${summary(request)}` }, width)),
  ];
}

interface CreateFlags extends MutationFlags {
  sessionId?: string;
  agent: string;
  title?: string;
  workFolder?: string;
  project?: string[];
  channel?: string[];
  label?: string[];
  parentSessionId?: string;
  permissions?: Permissions;
}

function createCommand(): Command {
  return new Command('create', 'create a session, or find the one with this id')
    .option('--session-id <id>', 'an id of your own; generated otherwise')
    .option('--agent <name>', 'the agent; `external` is your own program', EXTERNAL_AGENT)
    .option('--title <text>', 'the title people see')
    .option('--work-folder <path>', 'where the agent works')
    .option('--project <id...>', 'projects it belongs to')
    .option('--channel <id...>', 'channels it belongs to')
    .option('--label <name...>', 'labels a worker must have to host it')
    .option('--parent-session-id <id>', 'the session it may ask')
    .addOption(new Option('--permissions <how>', 'whether approvals are asked').choices(PERMISSIONS))
    .withExamples('holdpoint sessions create --session-id nightly --title "Nightly build"')
    .withMutation()
    .action(async (flags: CreateFlags) => {
      const client = await connect(flags);
      const session = await once(flags, (options) => client.sessions.create(sessionBody(flags), options));
      showChanged(session, flags);
    });
}

const sessionBody = (flags: CreateFlags) => ({
  agent: flags.agent,
  session_id: flags.sessionId,
  title: flags.title,
  work_folder: folderNamed(flags.workFolder),
  project_ids: flags.project,
  channel_ids: flags.channel,
  labels: flags.label,
  parent_session_id: flags.parentSessionId,
  permissions: flags.permissions,
});

function interruptCommand(): Command {
  const command = new Command('interrupt', 'stop the active run; the session stays')
    .argument('<session_id>', 'the session')
    .withExamples('holdpoint sessions interrupt nightly');
  return change(command, (client, id, _flags, options) => client.sessions.interrupt(id, options));
}

function endCommand(): Command {
  const command = new Command('end', 'end a session; its open runs and asks end with it')
    .argument('<session_id>', 'the session')
    .option('--reason <text>', 'why, for the record')
    .withExamples('holdpoint sessions end nightly --reason "all done"');
  return change(command, (client, id, { reason }, { idempotencyKey: idempotency_key }) =>
    client.sessions.end(id, { idempotency_key, reason }),
  );
}

type Mutate = (
  client: Client,
  id: string,
  flags: { reason?: string },
  options: { idempotencyKey: string },
) => Promise<SessionView>;

function change(command: Command, mutate: Mutate): Command {
  return command.withMutation().action(async (typed: string, flags: MutationFlags & { reason?: string }) => {
    const client = await connect(flags);
    const { session_id } = await findSession(client, typed);
    showChanged(await once(flags, (options) => mutate(client, session_id, flags, options)), flags);
  });
}

function showChanged(session: SessionView, { json }: ServerFlags): void {
  if (json) printJson(session);
  else print(line(`${session.session_id} is `, statusSpan(session.status)));
  if (session.status === 'ended' && isAttached(session))
    note(`${oneLine(session.agent_id)} keeps running and asks only at its own terminal from now on`);
}
