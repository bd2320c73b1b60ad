// Builds commands out of the parts they share: examples, subcommands, and the flags for the server, for a mutation and for
// a scope. A test runs every example against a real server.
import type { Command } from 'commander';
import { Failure } from './failure.ts';

export interface ServerFlags {
  url?: string;
  token?: string;
  json?: boolean;
}

export interface MutationFlags extends ServerFlags {
  idempotencyKey?: string;
  retryForMs?: string;
}

export interface Scope {
  sessionId?: string;
  runId?: string;
}

export interface WaitFlags extends MutationFlags {
  wait?: boolean;
}

export const RETRY_FOR_MS = 30_000;

export const withExamples = (command: Command, ...examples: string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);

/** Adds the subcommands to a command that does nothing itself. */
export function withSubcommands(command: Command, ...subcommands: (() => Command)[]): Command {
  for (const create of subcommands) command.addCommand(create());
  return command;
}

export const withServer = (command: Command): Command =>
  command
    .option('--url <address>', 'the server (HOLDPOINT_URL, http://127.0.0.1:4777)')
    .option('--token <secret>', 'token (HOLDPOINT_TOKEN; otherwise the one in the state folder)')
    .option('--json', 'print JSON');

/** `verb`: "look in", or "of" for lists. */
export const withScope = (command: Command, verb: string): Command =>
  command.option('--session-id <id>', `${verb} this session only`).option('--run-id <id>', `${verb} this run only`);

export const withMutation = (command: Command): Command =>
  withServer(command)
    .option('--idempotency-key <key>', 'the same key again does it once; generated otherwise')
    .option('--retry-for-ms <number>', 'how long to retry after a lost connection', String(RETRY_FOR_MS));

export const retryForMsOf = (flags: MutationFlags): number =>
  wholeNumber('--retry-for-ms', flags.retryForMs) ?? RETRY_FOR_MS;

export function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Failure('usage', `${flag} takes a whole number, not "${text}"`);
}

/** Collects an option that may be repeated. A variadic option would also swallow the arguments after it. */
export const repeated = (value: string, before: string[] = []): string[] => [...before, value];

/** Refuses several flags of which at most one makes sense. Returns the one that was given. */
export function atMostOne(flags: Record<string, unknown>): string | undefined {
  const given = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [name],
  );
  if (given.length > 1) throw new Failure('usage', `${given.join(' and ')} exclude each other: give one of them`);
  return given[0];
}
