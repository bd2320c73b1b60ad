// Compiles rules into OpenCode's permission settings. A setting is about a whole permission: a rule about some calls has all
// of them asked. Commands are never allowed as a whole, because one that cannot be parsed is asked. Pure.
import { actionForTool, type ToolRule } from '../../core/tool-rules.ts';

/** OpenCode's permissions, and the tools as which they are asked here. */
const PERMISSIONS: Record<string, string> = {
  bash: 'Bash',
  edit: 'Edit',
  read: 'read',
  glob: 'glob',
  grep: 'grep',
  list: 'list',
  task: 'task',
  skill: 'skill',
  webfetch: 'webfetch',
  websearch: 'websearch',
  codesearch: 'codesearch',
  external_directory: 'external_directory',
};
const NEVER_ALLOWED = new Set(['bash']);
const WORDS = { allow: 'allow', reject: 'deny', ask: 'ask' } as const;

/** A word replaces all patterns that the person's own configuration has for the permission. */
export function permissionsFor(rules: readonly ToolRule[]): Record<string, 'allow' | 'deny' | 'ask'> {
  const found = Object.entries(PERMISSIONS).flatMap(([permission, tool]) => {
    const action = actionForTool(rules, tool);
    if (action === undefined) return [];
    return [[permission, WORDS[action === 'allow' && NEVER_ALLOWED.has(permission) ? 'ask' : action]] as const];
  });
  return Object.fromEntries(found);
}
