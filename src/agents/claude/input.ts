// The input of a run of agent `claude`: what to do, under which of Claude Code's own permission modes, and how it is
// held. Owns the names that a run may use. Pure.
import { z } from 'zod';
import { runInput, SkillNames } from '../kit/run-input.ts';

export const PERMISSION_MODES = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk'] as const;

/** A person who sits in front of it answers within a minute; after that a process is worth more than a second's delay. */
const PATIENCE_MS = 60_000;
const BACKGROUND_MS = 600_000;
/** A timer holds no more. */
const LONGEST_MS = 2_000_000_000;

const SKILLS_NEED_TRUST =
  'A run with `trust_folder: false` finds no skills: they are laid into the folder whose settings it does not read. Leave out one of the two.';

const BOTH_MODES =
  'Name the permission mode once: `permission_mode`, or as Claude Code itself spells it, `permissionMode`.';

const ClaudeInput = runInput({
  /** As it was typed: a blank before a slash makes words of what would be one of its own commands. */
  text: z.string().refine((text) => text.trim() !== '', 'must not be blank'),
  permission_mode: z.enum(PERMISSION_MODES).optional(),
  /** As Claude Code itself spells it. */
  permissionMode: z.enum(PERMISSION_MODES).optional(),
  model: z.string().min(1).max(200).optional(),
  /** What is held without a process while nobody answers: questions and plans; everything that may need a person,
   * which then asks before Claude Code's own rules could allow it; or nothing. */
  hold: z.enum(['questions', 'everything', 'nothing']).optional(),
  /** How long the process waits before it is given up for that. */
  patience_ms: z.int().min(0).max(86_400_000).optional(),
  /** How long commands that it left in the background may go on when it has nothing else to do. */
  background_ms: z.int().min(0).max(LONGEST_MS).optional(),
  /** Whether it finds our tools among its own: forms, questions, approvals. */
  ask_tools: z.boolean().optional(),
  /** Whether the settings that its work folder brings along hold: hooks, agents, skills, servers. */
  trust_folder: z.boolean().optional(),
  /** Published skills to lay into the workspace, as `name` or `namespace/name`. */
  skills: SkillNames.optional(),
});

export interface ClaudeSpec {
  text: string;
  /** Where none was chosen, the session goes on in the one that it is in. */
  mode: (typeof PERMISSION_MODES)[number] | undefined;
  model: string | undefined;
  hold: 'questions' | 'everything' | 'nothing';
  patienceMs: number;
  backgroundMs: number;
  askTools: boolean;
  trustsFolder: boolean;
  skills: string[];
}

/** `carried`: what the session was started with before, for a run that is made of posts. */
export function readClaudeInput(
  input: Record<string, unknown>,
  carried: Record<string, unknown> = {},
): ClaudeSpec | { problem: string } {
  const read = ClaudeInput.safeParse({ ...carriedOver(carried), ...input });
  if (!read.success) return { problem: `The input of a claude run is not well formed: ${z.prettifyError(read.error)}` };
  const { text, model, permission_mode, permissionMode, hold = 'questions', ask_tools: askTools = false } = read.data;
  const { patience_ms: patienceMs = PATIENCE_MS, background_ms: backgroundMs = BACKGROUND_MS, skills = [] } = read.data;
  const { trust_folder: trustsFolder = true } = read.data;
  if (permission_mode !== undefined && permissionMode !== undefined) return { problem: BOTH_MODES };
  const mode = permission_mode ?? permissionMode;
  if (!trustsFolder && skills.length > 0) return { problem: SKILLS_NEED_TRUST };
  return { text, mode, model, hold, patienceMs, backgroundMs, askTools, trustsFolder, skills };
}

/** Everything but a mode that lets it do more than it asks for: that was for one run. */
function carriedOver({ text: _, permission_mode, permissionMode, ...rest }: Record<string, unknown>) {
  const mode = permission_mode ?? permissionMode;
  return { ...rest, ...(mode !== undefined && { permission_mode: OPENS_UP.has(mode) ? 'default' : mode }) };
}

const OPENS_UP: ReadonlySet<unknown> = new Set(['acceptEdits', 'bypassPermissions']);
