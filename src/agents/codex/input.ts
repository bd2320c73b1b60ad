// Reads the input of a Codex run: its text, and the settings it runs under. Owns the names of these settings and their
// meaning to the app-server; what is left out comes from the person's own Codex configuration. A run made of thread posts
// inherits the restrictions of the run before it, and none of its permissions. Pure.
import { z } from 'zod';
import { issuesOf, problemWith, runInput, SkillNames } from '../kit/run-input.ts';
import { inheritedConfig } from './inherited-config.ts';

export const SANDBOX_MODES = ['read-only', 'workspace-write', 'danger-full-access'] as const;
const Granular = z.strictObject({
  sandbox_approval: z.boolean(),
  rules: z.boolean(),
  skill_approval: z.boolean(),
  request_permissions: z.boolean(),
  mcp_elicitations: z.boolean(),
});

const CodexInput = runInput({
  text: z.string().trim().min(1),
  sandbox: z.enum(SANDBOX_MODES).optional(),
  /** The spelling of Codex's SDK. */
  sandboxMode: z.enum(SANDBOX_MODES).optional(),
  /** `untrusted`: a person is asked about every command; `on-request`: when the model wants more than the sandbox. */
  approval_policy: z
    .union([z.enum(['untrusted', 'on-request', 'never']), z.strictObject({ granular: Granular })])
    .optional(),
  /** Like `--full-auto`: runs unasked in the work folder, and asks for more. */
  full_auto: z.boolean().optional(),
  /** Like `--dangerously-bypass-approvals-and-sandbox`: runs everything without asking. */
  dangerously_bypass_approvals_and_sandbox: z.boolean().optional(),
  /** `plan`: plans and asks; read-only unless `sandbox` says otherwise. */
  mode: z.enum(['default', 'plan']).optional(),
  model: z.string().min(1).max(200).optional(),
  /** Further settings, as in Codex's config.toml. */
  config: z.record(z.string(), z.unknown()).optional(),
  /** Whether the work folder's own Codex settings, servers, hooks and rules apply. */
  trust_folder: z.boolean().optional(),
  /** Published skills to install into the work folder, as `name` or `namespace/name`. */
  skills: SkillNames.optional(),
});

export interface CodexSpec {
  text: string;
  mode: 'default' | 'plan';
  skills: string[];
  /** Undefined: as the person's own configuration says. */
  trustsFolder: boolean | undefined;
  /** For `thread/start`. What is missing is not taken from an earlier run of the session either. */
  settings: {
    sandbox?: (typeof SANDBOX_MODES)[number];
    approvalPolicy?: unknown;
    model?: string;
    config?: Record<string, unknown>;
  };
  /** Upper limits, where the person's own configuration would permit more. */
  atMost?: Pick<CodexSpec['settings'], 'sandbox' | 'approvalPolicy'>;
}

/** `carried`: the input of an earlier run of the session, for a run that is made of posts. */
export function readCodexInput(
  input: Record<string, unknown>,
  carried?: Record<string, unknown>,
): CodexSpec | { problem: string } {
  const before = carried && readCodexInput(carried);
  if (!before || 'problem' in before) return readInput(input);
  const { mode, skills, trustsFolder, settings } = before;
  const { model, config, sandbox = config?.sandbox_mode, approvalPolicy = config?.approval_policy } = settings;
  const spec = readInput({
    mode,
    skills,
    ...(trustsFolder !== undefined && { trust_folder: trustsFolder }),
    ...(model && { model }),
    ...(config && { config: inheritedConfig(config) }),
    ...input,
  });
  if ('problem' in spec) return spec;
  const known = SANDBOX_MODES.find((name) => name === sandbox);
  return {
    ...spec,
    atMost: { ...(known && { sandbox: known }), ...(approvalPolicy !== undefined && { approvalPolicy }) },
  };
}

function readInput(input: Record<string, unknown>): CodexSpec | { problem: string } {
  const read = CodexInput.safeParse(input);
  if (!read.success) return { problem: issuesOf('codex', read.error) };
  const { text, mode = 'default', model, config, sandboxMode, approval_policy, skills = [] } = read.data;
  if (sandboxMode !== undefined && read.data.sandbox !== undefined) return { problem: BOTH_SANDBOXES };
  const { sandbox = sandboxMode } = read.data;
  const { trust_folder: trustsFolder, full_auto, dangerously_bypass_approvals_and_sandbox: bypass } = read.data;
  if ([full_auto, bypass, sandbox !== undefined || approval_policy !== undefined].filter(Boolean).length > 1)
    return { problem: 'Give full_auto, or dangerously_bypass_approvals_and_sandbox, or sandbox and approval_policy.' };
  const preset = full_auto ? FULL_AUTO : bypass ? BYPASS : mode === 'plan' ? PLAN : {};
  const settings: CodexSpec['settings'] = {
    ...preset,
    ...(sandbox && { sandbox }),
    ...(approval_policy && { approvalPolicy: approval_policy }),
    ...(model && { model }),
    ...(config && { config }),
  };
  return { text, mode, skills, trustsFolder, settings };
}

const BOTH_SANDBOXES = 'Name the sandbox once: `sandbox`, or as Codex itself spells it, `sandboxMode`.';
const FULL_AUTO = { sandbox: 'workspace-write', approvalPolicy: 'on-request' } as const;
/** Codex's plan mode only instructs the model. */
const PLAN = { sandbox: 'read-only' } as const;
const BYPASS = { sandbox: 'danger-full-access', approvalPolicy: 'never' } as const;

export const inputProblem = problemWith(readCodexInput);
