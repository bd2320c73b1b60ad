// Reads the input of an Amp run: its text, and the mode of Amp that it runs in. Pure.
import { z } from 'zod';
import { issuesOf, problemWith, runInput } from '../kit/run-input.ts';

const AmpInput = runInput({
  text: z.string().trim().min(1),
  /** One of Amp's own agent modes, such as `medium` or `high`. */
  mode: z.string().min(1).max(100).optional(),
});

export type AmpSpec = z.infer<typeof AmpInput>;

/** `inherited`: the input of the run that a run made of posts continues. */
export function readAmpInput(
  input: Record<string, unknown>,
  { text: _, ...inherited }: Record<string, unknown> = {},
): AmpSpec | { problem: string } {
  const read = AmpInput.safeParse({ ...inherited, ...input });
  return read.success ? read.data : { problem: issuesOf('amp', read.error) };
}

export const inputProblem = problemWith(readAmpInput);
