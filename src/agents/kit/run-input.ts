// What the inputs of runs have in common, whichever agent they are for: a name that is not known is an error, since what
// it was to forbid would otherwise be allowed without a word. Pure.
import { z } from 'zod';

/** The fields of an input; what the server adds for itself is taken out before (going-on.ts). */
export function runInput<T extends z.ZodRawShape>(fields: T) {
  const known = Object.keys(fields);
  return z.strictObject(fields, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? unknown(issue.keys as string[], known) : undefined),
  });
}

function unknown(names: readonly string[], known: readonly string[]): string {
  const meant = names.flatMap((name) => known.filter((other) => plain(other) === plain(name)));
  const named = names.map((name) => `"${name}"`).join(', ');
  const hint = meant.length > 0 ? ` (did you mean ${[...new Set(meant)].join(', ')}?)` : '';
  return `${named} ${names.length > 1 ? 'are no settings' : 'is no setting'} of it${hint}; known are ${known.join(', ')}`;
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');
