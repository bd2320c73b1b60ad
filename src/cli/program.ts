// The tree of commands. Makes it and runs nothing, so that completion, help and tests can walk it. The server itself
// (boot.ts) is loaded only by the commands that need it: the others answer three times as fast without it.
import { Command } from 'commander';
import { approvalsCommand } from './approvals.ts';
import { auditCommand } from './audit.ts';
import { completionCommand } from './completion.ts';
import { connectCommand } from './connect.ts';
import { dbCommand } from './db.ts';
import { demoCommand } from './demo.ts';
import { disconnectCommand } from './disconnect.ts';
import { doctorCommand } from './doctor.ts';
import { eventsCommand } from './events.ts';
import { withExamples } from './examples.ts';
import { hookCommand } from './hook.ts';
import { inboxCommand } from './inbox.ts';
import { mcpCommand } from './mcp.ts';
import { questionsCommand } from './questions.ts';
import { runCommand } from './run.ts';
import { runsCommand } from './runs.ts';
import { serveCommand } from './serve.ts';
import { sessionsCommand } from './sessions.ts';
import { signInCommand } from './sign-in.ts';
import { skillsCommand } from './skills.ts';
import { threadsCommand } from './threads.ts';
import { tokensCommand } from './tokens.ts';
import { version } from './version.ts';
import { workerCommand } from './worker.ts';

const GROUPS: [title: string, commands: (() => Command)[]][] = [
  ['Answer:', [inboxCommand, questionsCommand, approvalsCommand, threadsCommand]],
  ['Look:', [eventsCommand, sessionsCommand, runsCommand, auditCommand]],
  ['Work:', [runCommand, connectCommand, disconnectCommand, demoCommand, mcpCommand, skillsCommand]],
  ['Serve:', [serveCommand, signInCommand, workerCommand, dbCommand, tokensCommand, doctorCommand, completionCommand]],
];

export function createProgram(): Command {
  const program = new Command('holdpoint')
    .description('One durable inbox for every question and approval that any coding agent raises.')
    .version(version);
  withExamples(program, 'holdpoint serve', 'holdpoint demo', 'holdpoint inbox');
  for (const [title, commands] of GROUPS) for (const create of commands) program.addCommand(create().helpGroup(title));
  program.addCommand(hookCommand(), { hidden: true });
  settle(program);
  return program;
}

/** Errors are thrown, not exits; what commander says sounds as everything else does. */
function settle(command: Command): void {
  command.exitOverride();
  command.configureOutput({
    outputError: (text, write) => write(text.replace(/^error: /, 'holdpoint: ')),
  });
  command.showHelpAfterError(`Run \`${pathOf(command)} --help\` to see what there is.`);
  for (const below of command.commands) settle(below);
}

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** Without a command it serves; flags alone are flags of `serve`. */
export function withDefault(args: readonly string[]): string[] {
  const [first] = args;
  const isOwn = first !== undefined && ['-h', '--help', '-V', '--version', 'help'].includes(first);
  if (first !== undefined && (!first.startsWith('-') || isOwn)) return [...args];
  return ['serve', ...args];
}
