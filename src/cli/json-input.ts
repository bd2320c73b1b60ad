// Reads JSON that a person passes in a flag, a file or standard input, and refuses what is not valid before anything is
// sent.
import { readFileSync } from 'node:fs';
import { ambiguityIn, membersOf } from '../core/json-ambiguity.ts';
import { Failure } from './failure.ts';

/** The value of `--…-json`, or of the file (`-` for standard input) that `--…-file` names. */
export function readJson(flag: string, given: { json?: string | undefined; file?: string | undefined }): unknown {
  const text = given.json ?? readText(flag, given.file ?? '');
  const value = parsed(flag, text);
  const ambiguity = ambiguityIn(text, membersOf(value));
  if (ambiguity !== undefined) throw new Failure('usage', `${flag}: this JSON is ambiguous: ${ambiguity}`);
  return value;
}

function parsed(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('usage', `${flag}: this is not valid JSON: ${(error as Error).message}`);
  }
}

function readText(flag: string, file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const name = file === '-' ? 'standard input' : file;
    throw new Failure('usage', `${flag}: cannot read ${name}: ${(error as Error).message}`);
  }
}

export function objectOf(flag: string, value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new Failure('usage', `${flag} takes a JSON object`);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
