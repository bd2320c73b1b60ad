// Validates the input of a run of agent `claude`: the task, the permission mode, and how the run is held. Pure.
import { z } from 'zod';
import { runInput, SkillNames } from '../kit/run-input.ts';

export const PERMISSION_MODES = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk'] as const;

/** A person who is present answers within a minute; after that, a restart of about a second costs less than the process. */
const PATIENCE_MS = 60_000;
const BACKGROUND_MS = 600_000;
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
  hold: z.enum(['questions', 'everything', 'nothing']).optional(),
  /** How long the process waits for an answer before the run is held without it. */
  patience_ms: z.int().min(0).max(86_400_000).optional(),
  /** How long background commands may keep the process after the last turn. */
  background_ms: z.int().min(0).max(LONGEST_MS).optional(),
  /** Whether the model gets our tools: forms, questions, approvals. */
  ask_tools: z.boolean().optional(),
  /** Whether the settings of the work folder apply: hooks, agents, skills, servers. */
  trust_folder: z.boolean().optional(),
  /** Published skills to lay into the workspace, as `name` or `namespace/name`. */
  skills: SkillNames.optional(),
});

export interface ClaudeSpec {
  text: string;
  /** Undefined: the session stays in its mode. */
  mode: (typeof PERMISSION_MODES)[number] | undefined;
  model: string | undefined;
  hold: 'questions' | 'everything' | 'nothing';
  patienceMs: number;
  backgroundMs: number;
  askTools: boolean;
  trustsFolder: boolean;
  skills: string[];
}

/** `inherited`: the input of the run that a run made of posts continues. */
export function readClaudeInput(
  input: Record<string, unknown>,
  inherited: Record<string, unknown> = {},
): ClaudeSpec | { problem: string } {
  const read = ClaudeInput.safeParse({ ...inheritedSettings(inherited), ...input });
  if (!read.success) return { problem: `The input of a claude run is not well formed: ${z.prettifyError(read.error)}` };
  const { text, model, permission_mode, permissionMode, hold = 'questions', ask_tools: askTools = false } = read.data;
  const { patience_ms: patienceMs = PATIENCE_MS, background_ms: backgroundMs = BACKGROUND_MS, skills = [] } = read.data;
  const { trust_folder: trustsFolder = true } = read.data;
  if (permission_mode !== undefined && permissionMode !== undefined) return { problem: BOTH_MODES };
  const mode = permission_mode ?? permissionMode;
  if (!trustsFolder && skills.length > 0) return { problem: SKILLS_NEED_TRUST };
  return { text, mode, model, hold, patienceMs, backgroundMs, askTools, trustsFolder, skills };
}

/** All settings, except that a mode which skips approvals holds for one run only. */
function inheritedSettings({ text: _, permission_mode, permissionMode, ...rest }: Record<string, unknown>) {
  const mode = permission_mode ?? permissionMode;
  return { ...rest, ...(mode !== undefined && { permission_mode: SKIPS_APPROVALS.has(mode) ? 'default' : mode }) };
}

const SKIPS_APPROVALS: ReadonlySet<unknown> = new Set(['acceptEdits', 'bypassPermissions']);
