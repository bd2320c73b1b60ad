// The flags that commands share: their types, and reading their values.
import { Option } from 'commander';
import { RETRY_FOR_MS } from './command.ts';
import { Failure } from './failure.ts';

export interface AddressFlags {
  url?: string;
  token?: string;
  tokenFile?: string;
}

export interface ServerFlags extends AddressFlags {
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

export const retryForMsOf = (flags: MutationFlags): number =>
  wholeNumber('--retry-for-ms', flags.retryForMs) ?? RETRY_FOR_MS;

export function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Failure('usage', `${flag} takes a whole number, not "${text}"`);
}

/** Collects an option that may be repeated. A variadic option would also swallow the arguments after it. */
export const repeated = (value: string, before: string[] = []): string[] => [...before, value];

/** An option that may be repeated, as a list that is empty without it. */
export const listOption = (flags: string, about: string): Option =>
  new Option(flags, about).argParser(repeated).default([], 'none');

/** Refuses several flags of which at most one makes sense. Returns the one that was given. */
export function atMostOne(flags: Record<string, unknown>): string | undefined {
  const given = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [name],
  );
  if (given.length > 1) throw new Failure('usage', `${given.join(' and ')} exclude each other: give one of them`);
  return given[0];
}
