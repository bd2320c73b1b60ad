// Finds the rules that a project wants applied to an approval. What is not understood restricts everything: the rules that
// would be left out could be the ones that restrict.
import type { ProjectRules } from '../core/rule.ts';
import { readProjectRules } from '../node/project-rules.ts';

export async function projectRulesIn(folder: string | undefined): Promise<ProjectRules | undefined> {
  const read = await readProjectRules(folder);
  if (!read || 'fault' in read) return read;
  // The schema library is loaded only for a project that has rules.
  const { ProjectRules } = await import('../core/rule.ts');
  const { success, data, error } = ProjectRules.safeParse(read.json);
  if (success && Array.isArray(data)) return data;
  const [issue] = error?.issues ?? [];
  return { fault: `it is no list of rules${issue?.path.length ? ` (at ${issue.path.join('.').slice(0, 100)})` : ''}` };
}
