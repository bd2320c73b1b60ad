// Validates what the inputs of runs have in common. An unknown name is an error: a misspelt restriction would otherwise be
// ignored without a word. Pure.
import { z } from 'zod';
import { issueText } from '../../core/issue-text.ts';

/** Names of published skills, each as `name` or `namespace/name`. */
export const SkillNames = z.array(z.string().min(1).max(200)).max(20);

/** A strict object. Fields that the server adds are removed before (inherited-settings.ts). */
export function runInput<T extends z.ZodRawShape>(fields: T) {
  const known = Object.keys(fields);
  return z.strictObject(fields, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(issue.keys as string[], known) : undefined),
  });
}

function unknownKeys(names: readonly string[], known: readonly string[]): string {
  const meant = names.flatMap((name) => known.filter((other) => letters(other) === letters(name)));
  const named = names.map((name) => `"${name}"`).join(', ');
  const hint = meant.length > 0 ? ` (did you mean ${[...new Set(meant)].join(', ')}?)` : '';
  const are = names.length > 1 ? 'are not settings' : 'is not a setting';
  return `${named} ${are} of this agent${hint}; its settings are ${known.join(', ')}`;
}

const letters = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');

/** What is wrong with an input, in one line. */
export function issuesOf(agent: string, { issues }: z.ZodError): string {
  const texts = issues.map((issue) =>
    issue.code === 'unrecognized_keys' ? issue.message : `${issue.path.join('.') || 'it'} ${issueText(issue)}`,
  );
  return `The input of this run of ${agent} is not well formed: ${texts.join('; ')}.`;
}

/** As an agent's `inputCheck`: the problem that its reader finds. */
export const problemWith =
  (read: (input: Record<string, unknown>) => object | { problem: string }) =>
  (input: Record<string, unknown>): string | undefined => {
    const spec = read(input);
    return 'problem' in spec ? String(spec.problem) : undefined;
  };
