// The input of a run of agent `claude`: what to do, under which of Claude Code's own permission modes, and how it is
// held. Owns the names that a run may use. Pure.
import { z } from 'zod';

export const PERMISSION_MODES = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk'] as const;

/** A person who sits in front of it answers within a minute; after that a process is worth more than a second's delay. */
const PATIENCE_MS = 60_000;

const ClaudeInput = z.looseObject({
  text: z.string().trim().min(1),
  permission_mode: z.enum(PERMISSION_MODES).optional(),
  model: z.string().min(1).max(200).optional(),
  /** What is held without a process while nobody answers: questions and plans; everything that may need a person,
   * which then asks before Claude Code's own rules could allow it; or nothing. */
  hold: z.enum(['questions', 'everything', 'nothing']).optional(),
  /** How long the process waits before it is given up for that. */
  patience_ms: z.int().min(0).max(86_400_000).optional(),
  /** Whether it finds our tools among its own: forms, questions, approvals. */
  ask_tools: z.boolean().optional(),
});

export interface ClaudeSpec {
  text: string;
  mode: (typeof PERMISSION_MODES)[number];
  model: string | undefined;
  hold: 'questions' | 'everything' | 'nothing';
  patienceMs: number;
  askTools: boolean;
}

export function readClaudeInput(input: Record<string, unknown>): ClaudeSpec | { problem: string } {
  const read = ClaudeInput.safeParse(input);
  if (!read.success) return { problem: `The input of a claude run is not well formed: ${z.prettifyError(read.error)}` };
  const { text, permission_mode: mode = 'default', model, hold = 'questions', patience_ms = PATIENCE_MS } = read.data;
  return { text, mode, model, hold, patienceMs: patience_ms, askTools: read.data.ask_tools ?? false };
}
