// Decides whether the output that the model got for a call is the answer that was sent, where another client of the same
// Codex may have answered first. Pure. Undefined means that the output does not tell.
import { z } from 'zod';
import { canonical } from '../../core/digest.ts';

/** The model's call whose output is the answer. */
export interface AnsweredCall {
  id: string;
  /** `result`: the response that was sent to Codex. */
  isAnswer(output: unknown, result: unknown): boolean | undefined;
}

/** The model gets the answers to questions verbatim. */
export const areTheAnswers = (output: unknown, result: unknown): boolean | undefined =>
  typeof output === 'object' ? canonical(output) === canonical(result) : fromText(output);

const Grant = z.looseObject({
  permissions: z.looseObject({
    network: z.looseObject({ enabled: z.boolean().nullish() }).nullish(),
    file_system: z.looseObject({ read: z.array(z.string()).nullish(), write: z.array(z.string()).nullish() }).nullish(),
  }),
  scope: z.string(),
});

/** Codex reports a grant under other names than it accepts, and its own prompt grants everything or nothing. */
export function isTheGrant(output: unknown, result: unknown, asked: unknown): boolean | undefined {
  const granted = Grant.safeParse(output).data;
  if (!granted) return fromText(output);
  const { permissions, scope } = result as { permissions: unknown; scope: string };
  const { network, file_system } = granted.permissions;
  const received = extentOf({ network, fileSystem: file_system });
  const sent = extentOf(permissions);
  if (received === sent) return sent === NOTHING || granted.scope === scope;
  return received === NOTHING || received === extentOf(asked) ? false : undefined;
}

/** Codex truncates a long output, which then is no JSON. */
const fromText = (output: unknown): false | undefined =>
  typeof output === 'string' && output.startsWith('aborted') ? false : undefined;

function extentOf(permissions: unknown): string {
  const { network, fileSystem } = Object(permissions) as { network?: unknown; fileSystem?: unknown };
  const { enabled } = Object(network) as { enabled?: unknown };
  const { read, write } = Object(fileSystem) as { read?: unknown; write?: unknown };
  const hasFiles = Object.values(Object(fileSystem)).some((paths) => Array.isArray(paths) && paths.length > 0);
  return canonical([enabled === true, hasFiles, sorted(read), sorted(write)]);
}
const sorted = (paths: unknown): unknown[] => (Array.isArray(paths) ? paths.toSorted() : []);
const NOTHING = extentOf({});
