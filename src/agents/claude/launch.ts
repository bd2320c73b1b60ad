// Starts a process of Claude Code: its command line, settings and environment, and the first messages that it is sent.
import type { AskView } from '../../core/views.ts';
import type { AgentContext, LineProcess, LineProcessSpec } from '../agent.ts';
import { TOOL_ARGUMENTS } from './form.ts';
import type { ClaudeSpec } from './input.ts';
import { initialize, userMessage } from './protocol.ts';
import { ruleArguments } from './rules.ts';

export interface LaunchOptions {
  /** The command line arguments that name the conversation. */
  conversation: readonly string[];
  mode: string;
  /** The mode that the session was last seen in, if it is known. */
  lastMode: unknown;
  /** The rules that people allowed for this session, in the syntax of settings. */
  rules: readonly string[];
  /** The first message. Undefined if Claude Code resumes a deferred call by itself. */
  prompt: string | undefined;
  /** The message that is sent if it then does nothing. */
  fallbackPrompt: string;
  /** What this run has asked so far. */
  known: readonly AskView[];
  /** Calls that earlier runs were held on, which must not be made any more. */
  abandonedCalls: ReadonlySet<string>;
}

const ARGV =
  '-p --input-format stream-json --output-format stream-json --verbose --include-partial-messages --permission-prompt-tool stdio'.split(
    ' ',
  );
/** A hook is answered within the run's patience; only this much later may Claude Code time it out. */
const HOOK_MARGIN_SECONDS = 3600;
/** The user's own settings, and no MCP server but ours: servers of the user cannot be told from those of the folder. */
const OWN_SETTINGS_ONLY = ['--setting-sources', 'user', '--strict-mcp-config'];

/** Resolves when the process has started and was sent its prompt. */
export async function startClaude(
  { processes, session, run, env, toolRules }: AgentContext,
  spec: ClaudeSpec,
  options: LaunchOptions,
  wire: Pick<LineProcessSpec, 'signal' | 'onLine'>,
): Promise<LineProcess> {
  const claude = await processes.start({
    argv: ['claude', ...ARGV, ...ruleArguments(await toolRules()), ...argumentsOf(spec, options)],
    folder: session.work_folder as string,
    env: { ...env, HOLDPOINT_RUN_ID: run.run_id },
    mark: `HOLDPOINT_RUN_ID=${run.run_id}`,
    ...wire,
  });
  claude.send(initialize(Math.ceil(spec.patience_ms / 1000) + HOOK_MARGIN_SECONDS));
  if (options.prompt !== undefined) claude.send(userMessage(options.prompt));
  return claude;
}

const argumentsOf = (spec: ClaudeSpec, { mode, conversation }: LaunchOptions): string[] => [
  '--permission-mode',
  mode,
  ...(spec.model ? ['--model', spec.model] : []),
  ...(spec.ask_tools ? TOOL_ARGUMENTS : []),
  ...(spec.trust_folder ? [] : OWN_SETTINGS_ONLY),
  ...conversation,
];
