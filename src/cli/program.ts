// Builds the command tree and runs nothing, so that completion, help and tests can walk it. The module of a command is
// imported only when it is needed, and boot/ only by the commands that run a part of the server: `holdpoint hook` is
// called often, and its start-up time is what it imports.
import type { Command as BaseCommand } from 'commander';
import { Command } from './command.ts';
import { Failure } from './failure.ts';
import { chooseFields } from './output.ts';
import { version } from './version.ts';

const LOAD = {
  inbox: async () => (await import('./commands/inbox.ts')).inboxCommand(),
  questions: async () => (await import('./commands/questions.ts')).questionsCommand(),
  approvals: async () => (await import('./commands/approvals.ts')).approvalsCommand(),
  comment: async () => (await import('./commands/comment.ts')).commentCommand(),
  threads: async () => (await import('./commands/threads.ts')).threadsCommand(),
  events: async () => (await import('./commands/events.ts')).eventsCommand(),
  sessions: async () => (await import('./commands/sessions.ts')).sessionsCommand(),
  runs: async () => (await import('./commands/runs.ts')).runsCommand(),
  insights: async () => (await import('./commands/insights.ts')).insightsCommand(),
  audit: async () => (await import('./commands/audit.ts')).auditCommand(),
  keys: async () => (await import('./commands/keys.ts')).keysCommand(),
  ask: async () => (await import('./commands/ask.ts')).askCommand(),
  approve: async () => (await import('./commands/approve.ts')).approveCommand(),
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(),
  run: async () => (await import('./commands/run.ts')).runCommand(),
  connect: async () => (await import('./commands/connect.ts')).connectCommand(),
  disconnect: async () => (await import('./commands/disconnect.ts')).disconnectCommand(),
  demo: async () => (await import('./commands/demo.ts')).demoCommand(),
  acp: async () => (await import('./commands/acp.ts')).acpCommand(),
  rules: async () => (await import('./commands/rules.ts')).rulesCommand(),
  grants: async () => (await import('./commands/grants.ts')).grantsCommand(),
  skills: async () => (await import('./commands/skills.ts')).skillsCommand(),
  serve: async () => (await import('./commands/serve.ts')).serveCommand(),
  'sign-in': async () => (await import('./commands/sign-in.ts')).signInCommand(),
  worker: async () => (await import('./commands/worker.ts')).workerCommand(),
  db: async () => (await import('./commands/db.ts')).dbCommand(),
  tokens: async () => (await import('./commands/tokens.ts')).tokensCommand(),
  notify: async () => (await import('./commands/notify.ts')).notifyCommand(),
  webhooks: async () => (await import('./commands/webhooks.ts')).webhooksCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  version: async () => (await import('./commands/version.ts')).versionCommand(),
  completion: async () => (await import('./commands/completion.ts')).completionCommand(),
  complete: async () => (await import('./commands/complete.ts')).completeCommand(),
  hook: async () => (await import('./commands/hook.ts')).hookCommand(),
} satisfies Record<string, () => Promise<Command>>;

/** What the help shows, in the order of LOAD; `hook` is called by agents, `complete` by shells. */
const GROUPS: Record<string, readonly (keyof typeof LOAD)[]> = {
  'Answer:': ['inbox', 'questions', 'approvals', 'comment', 'threads'],
  'Look:': ['events', 'sessions', 'runs', 'insights', 'audit', 'keys'],
  'Ask:': ['ask', 'approve', 'mcp'],
  'Work:': ['run', 'connect', 'disconnect', 'demo', 'acp', 'rules', 'grants', 'skills'],
  'Serve:': ['serve', 'sign-in', 'worker', 'db', 'tokens', 'notify', 'webhooks', 'doctor', 'version', 'completion'],
};
/** Generated from all other commands. */
const NEEDS_ALL = 'completion';

/** The whole tree, or only the command that the first word names. */
export async function createProgram(firstWord?: string): Promise<Command> {
  const program = new Command(
    'holdpoint',
    'One durable inbox for every question and approval that any coding agent raises.',
  )
    .version(version, '-V, --version', 'print the version')
    // `help` and `help <command>` work all the same; see withHelp.
    .helpCommand(false)
    .withExamples('holdpoint serve', 'holdpoint demo', 'holdpoint inbox');
  const titles = new Map<string, string>(
    Object.entries(GROUPS).flatMap(([title, names]) => names.map((name) => [name, title] as const)),
  );
  const all = Object.entries(LOAD);
  const named = all.filter(([name]) => name === firstWord && name !== NEEDS_ALL);
  for (const [name, load] of named.length > 0 ? named : all) {
    const title = titles.get(name);
    program.addCommand((await load()).helpGroup(title ?? ''), { hidden: title === undefined });
  }
  program.hook('preAction', (_, action) => {
    const { fields } = action.opts<{ fields?: string }>();
    if (fields === undefined) return;
    chooseFields(fields);
    action.setOptionValue('json', true);
  });
  throwFailures(program);
  return program;
}

/** Makes commander throw instead of exiting, so that its errors are reported like every other failure. Help is no error. */
function throwFailures(command: BaseCommand): void {
  command.exitOverride((error) => {
    if (error.exitCode === 0 || error.code === 'commander.help') throw error;
    const advice = `Run \`${pathOf(command)} --help\` for usage.`;
    throw new Failure('usage', plainUsage(error.message), advice);
  });
  command.configureOutput({ outputError: () => {} });
  for (const subcommand of command.commands) throwFailures(subcommand);
}

const plainUsage = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(
      /^command-argument value ('.*') is invalid for argument '(.*)'\. Allowed choices are /,
      '$1 is not one of the choices for <$2>: ',
    );

const pathOf = (command: BaseCommand): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** Rewrites `help questions answer` as `questions answer --help`. Words that name no command are left to be refused. */
export function withHelp(program: BaseCommand, args: readonly string[]): string[] {
  const at = args.indexOf('help');
  const isGroup = (command: BaseCommand | undefined) => command !== undefined && command.commands.length > 0;
  if (at < 0 || !isGroup(commandAt(program, args.slice(0, at)))) return [...args];
  const words = args.filter((word, i) => i !== at && !word.startsWith('-'));
  const length = words.findIndex((_, i) => !isGroup(commandAt(program, words.slice(0, i + 1)))) + 1 || words.length;
  const path = words.slice(0, length);
  return commandAt(program, path) ? [...path, '--help'] : path;
}

const commandAt = (program: BaseCommand, path: readonly string[]): BaseCommand | undefined =>
  path.reduce<BaseCommand | undefined>((at, word) => at?.commands.find((one) => one.name() === word), program);

/** Without a command the program serves; flags alone are flags of `serve`. */
export function withDefault(args: readonly string[]): string[] {
  const [first, ...rest] = args;
  if (first === '-v') return ['--version', ...rest];
  const isGlobal = first !== undefined && ['-h', '--help', '-V', '--version', 'help'].includes(first);
  if (first !== undefined && (!first.startsWith('-') || isGlobal)) return [...args];
  return ['serve', ...args];
}
