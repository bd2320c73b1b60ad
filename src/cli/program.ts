// Builds the command tree and runs nothing, so that completion, help and tests can walk it. The module of a command is
// imported only when it is needed, and boot/ only by the commands that run a part of the server: `holdpoint hook` is
// called often, and its start-up time is what it imports.
import { Command } from 'commander';
import { withExamples } from './command-flags.ts';
import { Failure } from './failure.ts';
import { version } from './version.ts';

type Load = () => Promise<Command>;

const GROUPS: Record<string, Record<string, Load>> = {
  'Answer:': {
    inbox: async () => (await import('./commands/inbox.ts')).inboxCommand(),
    questions: async () => (await import('./commands/questions.ts')).questionsCommand(),
    approvals: async () => (await import('./commands/approvals.ts')).approvalsCommand(),
    threads: async () => (await import('./commands/threads.ts')).threadsCommand(),
  },
  'Look:': {
    events: async () => (await import('./commands/events.ts')).eventsCommand(),
    sessions: async () => (await import('./commands/sessions.ts')).sessionsCommand(),
    runs: async () => (await import('./commands/runs.ts')).runsCommand(),
    audit: async () => (await import('./commands/audit.ts')).auditCommand(),
  },
  'Work:': {
    run: async () => (await import('./commands/run.ts')).runCommand(),
    connect: async () => (await import('./commands/connect.ts')).connectCommand(),
    disconnect: async () => (await import('./commands/disconnect.ts')).disconnectCommand(),
    demo: async () => (await import('./commands/demo.ts')).demoCommand(),
    mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(),
    skills: async () => (await import('./commands/skills.ts')).skillsCommand(),
  },
  'Serve:': {
    serve: async () => (await import('./commands/serve.ts')).serveCommand(),
    'sign-in': async () => (await import('./commands/sign-in.ts')).signInCommand(),
    worker: async () => (await import('./commands/worker.ts')).workerCommand(),
    db: async () => (await import('./commands/db.ts')).dbCommand(),
    tokens: async () => (await import('./commands/tokens.ts')).tokensCommand(),
    doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
    completion: async () => (await import('./commands/completion.ts')).completionCommand(),
  },
};
const HIDDEN: Record<string, Load> = {
  hook: async () => (await import('./commands/hook.ts')).hookCommand(),
};
/** Generated from all other commands. */
const NEEDS_ALL = 'completion';

/** The whole tree, or only the command that the first word names. */
export async function createProgram(firstWord?: string): Promise<Command> {
  const program = new Command('holdpoint')
    .description('One durable inbox for every question and approval that any coding agent raises.')
    .version(version);
  withExamples(program, 'holdpoint serve', 'holdpoint demo', 'holdpoint inbox');
  const all = Object.entries(GROUPS).flatMap(([title, loads]) =>
    Object.entries(loads).map(([name, load]) => ({ name, load, title, hidden: false })),
  );
  all.push(...Object.entries(HIDDEN).map(([name, load]) => ({ name, load, title: '', hidden: true })));
  const named = all.filter(({ name }) => name === firstWord && name !== NEEDS_ALL);
  for (const { load, title, hidden } of named.length > 0 ? named : all)
    program.addCommand((await load()).helpGroup(title), { hidden });
  throwFailures(program);
  return program;
}

/** Makes commander throw instead of exiting, so that its errors are reported like every other failure. Help is no error. */
function throwFailures(command: Command): void {
  command.exitOverride((error) => {
    if (error.exitCode === 0 || error.code === 'commander.help') throw error;
    const advice = `Run \`${pathOf(command)} --help\` for usage.`;
    throw new Failure('usage', error.message.replace(/^error: /, '').replaceAll('\n', ' '), advice);
  });
  command.configureOutput({ outputError: () => {} });
  for (const subcommand of command.commands) throwFailures(subcommand);
}

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** Rewrites `help questions answer` as `questions answer --help`. Words that name no command are left to be refused. */
export function withHelp(program: Command, args: readonly string[]): string[] {
  const at = args.indexOf('help');
  const isGroup = (command: Command | undefined) => command !== undefined && command.commands.length > 0;
  if (at < 0 || !isGroup(commandAt(program, args.slice(0, at)))) return [...args];
  const words = args.filter((word, i) => i !== at && !word.startsWith('-'));
  const length = words.findIndex((_, i) => !isGroup(commandAt(program, words.slice(0, i + 1)))) + 1 || words.length;
  const path = words.slice(0, length);
  return commandAt(program, path) ? [...path, '--help'] : path;
}

const commandAt = (program: Command, path: readonly string[]): Command | undefined =>
  path.reduce<Command | undefined>((at, word) => at?.commands.find((one) => one.name() === word), program);

/** Without a command the program serves; flags alone are flags of `serve`. */
export function withDefault(args: readonly string[]): string[] {
  const [first] = args;
  const isGlobal = first !== undefined && ['-h', '--help', '-V', '--version', 'help'].includes(first);
  if (first !== undefined && (!first.startsWith('-') || isGlobal)) return [...args];
  return ['serve', ...args];
}
