// JSON that a person hands in: on the command line, in a file, or by standard input. What is wrong with it is said
// before anything is sent.
import { readFileSync } from 'node:fs';
import { Failure } from './failure.ts';

/** The text of `--…-json`, or of the file (`-` for standard input) that `--…-file` names. */
export function readJson(what: string, given: { json?: string | undefined; file?: string | undefined }): unknown {
  const text = given.json ?? readText(what, given.file ?? '');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('usage', `${what}: this is not valid JSON: ${(error as Error).message}`);
  }
}

function readText(what: string, file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new Failure(
      'usage',
      `${what}: cannot read ${file === '-' ? 'standard input' : file}: ${(error as Error).message}`,
    );
  }
}

export function objectOf(what: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Failure('usage', `${what} takes a JSON object`);
}
