// From what a person typed to the one thing they mean: a whole id, or a beginning or ending that fits a single one.
// Several that fit are an error that names them. Knows no kind of thing in particular.
import { Failure } from './failure.ts';

export interface Named<T> {
  /** What it is called in a message: `approval`, `run`. */
  noun: string;
  idOf(thing: T): string;
  /** A few words beside the id of a candidate. */
  describe(thing: T): string;
  /** What may be left out in front. */
  prefix?: string;
}

const MOST_CANDIDATES = 8;
const LEAST_CHARACTERS = 3;

export async function pick<T>(things: AsyncIterable<T>, typed: string, named: Named<T>): Promise<T | undefined> {
  if (typed.length < LEAST_CHARACTERS)
    throw new Failure('usage', `"${typed}" is too short for an id: give at least ${LEAST_CHARACTERS} characters`);
  const fitting: T[] = [];
  for await (const thing of things) {
    const id = named.idOf(thing);
    if (id === typed) return thing;
    if (id.startsWith(typed) || id.startsWith((named.prefix ?? '') + typed) || id.endsWith(typed)) fitting.push(thing);
  }
  if (fitting.length > 1) throw ambiguous(typed, fitting, named);
  return fitting[0];
}

function ambiguous<T>(typed: string, fitting: readonly T[], { noun, idOf, describe }: Named<T>): Failure {
  const candidates = fitting.slice(0, MOST_CANDIDATES).map((thing) => `${idOf(thing)}  ${describe(thing)}`.trimEnd());
  const more = fitting.length > MOST_CANDIDATES ? [`… and ${fitting.length - MOST_CANDIDATES} more`] : [];
  const message = `"${typed}" is ambiguous: it fits ${fitting.length} ${noun}s. Give more of the id of one of them:`;
  return new Failure('usage', message, ...candidates, ...more);
}
