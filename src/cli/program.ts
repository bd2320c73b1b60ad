// The tree of commands. Makes it and runs nothing, so that completion, help and tests can walk it. A command's file is
// loaded only when it is needed, and the server itself (boot/) only by the commands that run a part of it: every call
// pays for what it loads, and an agent's hook is called often.
import { Command } from 'commander';
import { Failure } from './failure.ts';
import { withExamples } from './help-examples.ts';
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
/** It is written from the others. */
const NEEDS_ALL = 'completion';

/** All of it; or, where the first word names a command, that one alone. */
export async function createProgram(word?: string): Promise<Command> {
  const program = new Command('holdpoint')
    .description('One durable inbox for every question and approval that any coding agent raises.')
    .version(version);
  withExamples(program, 'holdpoint serve', 'holdpoint demo', 'holdpoint inbox');
  const all = Object.entries(GROUPS).flatMap(([title, loads]) =>
    Object.entries(loads).map(([name, load]) => ({ name, load, title, hidden: false })),
  );
  all.push(...Object.entries(HIDDEN).map(([name, load]) => ({ name, load, title: '', hidden: true })));
  const named = all.filter(({ name }) => name === word && name !== NEEDS_ALL);
  for (const { load, title, hidden } of named.length > 0 ? named : all)
    program.addCommand((await load()).helpGroup(title), { hidden });
  settle(program);
  return program;
}

/** Errors are thrown, not exits, and told as every other failure is. Help is no error: it has said what it says. */
function settle(command: Command): void {
  command.exitOverride((error) => {
    if (error.exitCode === 0 || error.code === 'commander.help') throw error;
    const advice = `Run \`${pathOf(command)} --help\` to see what there is.`;
    throw new Failure('usage', error.message.replace(/^error: /, '').replaceAll('\n', ' '), advice);
  });
  command.configureOutput({ outputError: () => {} });
  for (const below of command.commands) settle(below);
}

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** `help questions answer` is `questions answer --help`; what is no command is left to be refused as such. */
export function withHelp(program: Command, args: readonly string[]): string[] {
  const at = args.indexOf('help');
  const isGroup = (command: Command | undefined) => command !== undefined && command.commands.length > 0;
  if (at < 0 || !isGroup(below(program, args.slice(0, at)))) return [...args];
  const words = args.filter((word, i) => i !== at && !word.startsWith('-'));
  const length = words.findIndex((_, i) => !isGroup(below(program, words.slice(0, i + 1)))) + 1 || words.length;
  const path = words.slice(0, length);
  return below(program, path) ? [...path, '--help'] : path;
}

const below = (program: Command, path: readonly string[]): Command | undefined =>
  path.reduce<Command | undefined>((at, word) => at?.commands.find((one) => one.name() === word), program);

/** Without a command it serves; flags alone are flags of `serve`. */
export function withDefault(args: readonly string[]): string[] {
  const [first] = args;
  const isOwn = first !== undefined && ['-h', '--help', '-V', '--version', 'help'].includes(first);
  if (first !== undefined && (!first.startsWith('-') || isOwn)) return [...args];
  return ['serve', ...args];
}
