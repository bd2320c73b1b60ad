// How a process of Claude Code is started: its command line, its settings and its environment, and the first that it is
// sent. Owns nothing of it once it runs.
import type { AskView } from '../../core/views.ts';
import type { AgentContext, LineProcess, LineProcessSpec } from '../agent.ts';
import { TOOL_ARGUMENTS } from './form.ts';
import type { ClaudeSpec } from './input.ts';
import { initialize, userMessage } from './protocol.ts';

export interface Beginning {
  /** Which conversation, as the command line takes it. */
  conversation: readonly string[];
  mode: string;
  /** The mode that the session was last seen in, if that is known. */
  lastMode: unknown;
  /** What was allowed in this session for good, as its settings take it. */
  rules: readonly string[];
  /** What is said to it first. Nothing where the call that it was held on is taken up by itself. */
  prompt: string | undefined;
  /** What is said if it then does nothing. */
  otherwise: string;
  /** What this run had asked before. */
  known: readonly AskView[];
  /** Calls of earlier runs that are not to be made any more. */
  over: ReadonlySet<string>;
}

const ARGV =
  '-p --input-format stream-json --output-format stream-json --verbose --include-partial-messages --permission-prompt-tool stdio'.split(
    ' ',
  );
/** A hook is answered within the run's patience; this much later Claude Code may give it up. */
const HOOK_MARGIN_SECONDS = 3600;
/** Its user's own settings, and no server but ours: those of the user cannot be told from those of the folder. */
const OWN_SETTINGS_ONLY = ['--setting-sources', 'user', '--strict-mcp-config'];

/** Resolves when it has begun, and was told what to do. */
export async function startClaude(
  { processes, session, run, env }: AgentContext,
  spec: ClaudeSpec,
  beginning: Beginning,
  wire: Pick<LineProcessSpec, 'signal' | 'onLine'>,
): Promise<LineProcess> {
  const talk = await processes.start({
    argv: ['claude', ...ARGV, ...argumentsOf(spec, beginning)],
    folder: session.work_folder as string,
    env: { ...env, HOLDPOINT_RUN_ID: run.run_id },
    mark: `HOLDPOINT_RUN_ID=${run.run_id}`,
    onStart: async () => {},
    ...wire,
  });
  talk.send(initialize(Math.ceil(spec.patienceMs / 1000) + HOOK_MARGIN_SECONDS));
  if (beginning.prompt !== undefined) talk.send(userMessage(beginning.prompt));
  return talk;
}

const argumentsOf = (spec: ClaudeSpec, { mode, conversation }: Beginning): string[] => [
  '--permission-mode',
  mode,
  ...(spec.model ? ['--model', spec.model] : []),
  ...(spec.askTools ? TOOL_ARGUMENTS : []),
  ...(spec.trustsFolder ? [] : OWN_SETTINGS_ONLY),
  ...conversation,
];
