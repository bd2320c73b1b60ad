// Validates the input of a run of agent `claude`: the task, the permission mode, and how the run is held. Pure.
import { z } from 'zod';
import { issuesOf, problemWith, runInput, SkillNames } from '../kit/run-input.ts';

export const PERMISSION_MODES = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk'] as const;

/** The maximum of `setTimeout`, rounded down. */
const LONGEST_MS = 2_000_000_000;

const SKILLS_NEED_TRUST =
  'A run with `trust_folder: false` finds no skills: they are laid into the folder whose settings it does not read. Leave out one of the two.';

const BOTH_MODES =
  'Name the permission mode once: `permission_mode`, or as Claude Code itself spells it, `permissionMode`.';

const ClaudeInput = runInput({
  /** Not trimmed: a blank before a slash keeps it from being a command. */
  text: z.string().refine((text) => text.trim() !== '', 'must not be blank'),
  permission_mode: z.enum(PERMISSION_MODES).optional(),
  /** The spelling of Claude Code. */
  permissionMode: z.enum(PERMISSION_MODES).optional(),
  model: z.string().min(1).max(200).optional(),
  /** What the run is held on without a process: questions and plans; every call that may need a person, which is then
   * asked about before Claude Code's own rules could allow it; or nothing. */
  hold: z.enum(['questions', 'everything', 'nothing']).default('questions'),
  /** How long the process waits before the run is held without it. A person who is present answers within a minute. */
  patience_ms: z.int().min(0).max(86_400_000).default(60_000),
  /** How long background commands may keep the process after the last turn. */
  background_ms: z.int().min(0).max(LONGEST_MS).default(600_000),
  /** Whether the model gets our tools: forms, questions, approvals. */
  ask_tools: z.boolean().default(false),
  /** Whether the settings of the work folder apply: hooks, agents, skills, servers. */
  trust_folder: z.boolean().default(true),
  /** Published skills to lay into the workspace, as `name` or `namespace/name`. */
  skills: SkillNames.default([]),
});

/** `mode`: undefined where the session stays in its mode. */
export type ClaudeSpec = Omit<z.infer<typeof ClaudeInput>, 'permission_mode' | 'permissionMode'> & {
  mode: (typeof PERMISSION_MODES)[number] | undefined;
};

/** `inherited`: the input of the run that a run made of posts continues. */
export function readClaudeInput(
  input: Record<string, unknown>,
  inherited: Record<string, unknown> = {},
): ClaudeSpec | { problem: string } {
  const read = ClaudeInput.safeParse({ ...inheritedSettings(inherited), ...input });
  if (!read.success) return { problem: issuesOf('claude', read.error) };
  const { permission_mode, permissionMode, ...spec } = read.data;
  if (permission_mode !== undefined && permissionMode !== undefined) return { problem: BOTH_MODES };
  if (!spec.trust_folder && spec.skills.length > 0) return { problem: SKILLS_NEED_TRUST };
  return { ...spec, mode: permission_mode ?? permissionMode };
}

/** All settings, except that a mode which skips approvals holds for one run only. */
function inheritedSettings({ text: _, permission_mode, permissionMode, ...rest }: Record<string, unknown>) {
  const mode = permission_mode ?? permissionMode;
  return { ...rest, ...(mode !== undefined && { permission_mode: SKIPS_APPROVALS.has(mode) ? 'default' : mode }) };
}

const SKIPS_APPROVALS: ReadonlySet<unknown> = new Set(['acceptEdits', 'bypassPermissions']);

export const inputProblem = problemWith(readClaudeInput);
