// Reads the input of an OpenCode run: its text, and the settings it runs under. What is left out comes from the person's own
// OpenCode configuration. A run made of thread posts inherits everything but the permissions of the run before it. Pure.
import { z } from 'zod';
import { issuesOf, problemWith, runInput, SkillNames } from '../kit/run-input.ts';

const OpencodeInput = runInput({
  text: z.string().trim().min(1),
  /** `ask`: a person is asked before it acts; `configured`: as its own configuration says. */
  permissions: z.enum(['ask', 'configured']).default('ask'),
  /** As `provider/model`. */
  model: z
    .string()
    .regex(/^[^/]+\/.+$/, 'must be provider/model')
    .max(200)
    .optional(),
  /** One of OpenCode's primary agents, such as `build` or `plan`. */
  agent: z.string().min(1).max(100).optional(),
  /** Whether the settings of the work folder apply: plugins, servers, agents. */
  trust_folder: z.boolean().default(true),
  /** Published skills to install into the work folder, as `name` or `namespace/name`. */
  skills: SkillNames.default([]),
});

export type OpencodeSpec = z.infer<typeof OpencodeInput>;

const SKILLS_NEED_TRUST =
  'A run with `trust_folder: false` finds no skills: they are laid into the folder whose settings it does not read. Leave out one of the two.';

/** `inherited`: the input of the run that a run made of posts continues. */
export function readOpencodeInput(
  input: Record<string, unknown>,
  { text: _, permissions: __, ...inherited }: Record<string, unknown> = {},
): OpencodeSpec | { problem: string } {
  const read = OpencodeInput.safeParse({ ...inherited, ...input });
  if (!read.success) return { problem: issuesOf('opencode', read.error) };
  if (!read.data.trust_folder && read.data.skills.length > 0) return { problem: SKILLS_NEED_TRUST };
  return read.data;
}

/** `provider/model` as OpenCode's API takes it: the model's own name may contain slashes. */
export function modelOf({ model }: OpencodeSpec): { providerID: string; modelID: string } | undefined {
  if (model === undefined) return undefined;
  const [providerID = '', ...rest] = model.split('/');
  return { providerID, modelID: rest.join('/') };
}

export const inputProblem = problemWith(readOpencodeInput);
