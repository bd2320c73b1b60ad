// Whether what the model was told is what was answered here, where somebody at Codex's own prompt may have been first:
// to questions, and to a request for wider permissions. Pure. Undefined: nobody can tell.
import { z } from 'zod';
import { canonical } from '../../core/digest.ts';

/** A call of the model whose result is the answer. */
export interface ToldCall {
  id: string;
  /** Whether what the model was told is this answer; undefined: nobody can tell. */
  isAnswer(told: unknown, result: unknown): boolean | undefined;
}

const Grant = z.looseObject({
  permissions: z.looseObject({
    network: z.looseObject({ enabled: z.boolean().nullish() }).nullish(),
    file_system: z.looseObject({ read: z.array(z.string()).nullish(), write: z.array(z.string()).nullish() }).nullish(),
  }),
  scope: z.string(),
});

/** The model is told the answers to the letter. */
export const areTheAnswers = (told: unknown, result: unknown): boolean | undefined =>
  typeof told === 'object' ? canonical(told) === canonical(result) : ofText(told);

/** Codex tells of a grant by other names than it takes, and at its own prompt it is all or nothing. */
export function isTheGrant(told: unknown, result: unknown, asked: unknown): boolean | undefined {
  const heard = Grant.safeParse(told).data;
  const { permissions, scope } = result as { permissions: unknown; scope: string };
  if (!heard) return ofText(told);
  const { network, file_system } = heard.permissions;
  const got = extentOf({ network, fileSystem: file_system });
  const given = extentOf(permissions);
  if (got === given) return given === NOTHING || heard.scope === scope;
  return got === NOTHING || got === extentOf(asked) ? false : undefined;
}

/** An answer that was too long is cut, and then is text as any other. */
const ofText = (told: unknown): false | undefined =>
  typeof told === 'string' && told.startsWith('aborted') ? false : undefined;

function extentOf(permissions: unknown): string {
  const { network, fileSystem } = Object(permissions) as { network?: unknown; fileSystem?: unknown };
  const { enabled } = Object(network) as { enabled?: unknown };
  const { read, write } = Object(fileSystem) as { read?: unknown; write?: unknown };
  const hasFiles = Object.values(Object(fileSystem)).some((paths) => Array.isArray(paths) && paths.length > 0);
  return canonical([enabled === true, hasFiles, pathsOf(read), pathsOf(write)]);
}
const pathsOf = (paths: unknown): unknown[] => (Array.isArray(paths) ? paths.toSorted() : []);
const NOTHING = extentOf({});
