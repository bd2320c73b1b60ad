// Handles one call that a permission rule of a person's own Amp delegates: raises it as an approval, waits for its outcome and
// returns the decision. Only an explicit allow of exactly this call is one; whatever else happens, the delegate rejects.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import type { ApprovalOutcome } from '../../client/outcome.ts';
import { canonical } from '../../core/digest.ts';
import type { HookCall, HookProcessContext } from '../agent.ts';
import { approveInHook, endAbandonedCall } from '../kit/hook-approval.ts';
import { watchServer } from '../kit/lost-server.ts';
import { SHELLS } from './rules.ts';

const Input = z.record(z.string(), z.unknown());
/** What Amp says about a call besides its arguments, in the environment of the delegate. */
const Call = z.looseObject({
  /** The server would trim it to the name of another tool. */
  AGENT_TOOL_NAME: z
    .string()
    .max(256)
    .regex(/^\S(.*\S)?$/s),
  AMP_THREAD_ID: z.string().optional(),
  PWD: z.string().optional(),
});

const GIVEN_UP = 'Amp gave the call up';

/** `{"decision":"allow"}`, as the delegate expects it, or a rejection with its reason. */
export async function decide(payload: unknown, open: () => HookProcessContext): Promise<object> {
  const context = open();
  const { AGENT_TOOL_NAME: tool, AMP_THREAD_ID: thread } = Call.parse(context.env);
  const given = Input.parse(payload);
  if (namesTwoCommands(tool, given))
    return rejected('The call names a command twice, as cmd and as command: send one.');
  const folder = process.cwd();
  const action = actionOf(tool, given);
  const conversation = {
    agent: 'amp',
    sessionPrefix: 'amp-own-',
    label: context.machine,
    id: idOf(thread, folder),
    folder,
    title: `Amp in ${folder}`,
  };
  const spec = { id: `delegate-${crypto.randomUUID()}`, ...action, work_folder: folder };
  const lost = watchServer(context.client.http);
  const signal = AbortSignal.any([context.signal, lost.signal]);
  try {
    const outcome = await approveInHook({ ...context, signal }, { conversation, spec, givenUp: GIVEN_UP });
    return decisionOf(outcome, action.input);
  } finally {
    lost.stop();
  }
}

/** Ends the ask of a delegate that was killed. */
export const endAbandoned = (client: Client, call: HookCall): Promise<void> => endAbandonedCall(client, call, GIVEN_UP);

/** Amp's shells differ in which of the two they run. */
const namesTwoCommands = (tool: string, { cmd, command }: Record<string, unknown>): boolean =>
  SHELLS.includes(tool) && cmd !== undefined && command !== undefined;

function actionOf(tool: string, { cmd, ...given }: Record<string, unknown>) {
  const command = cmd ?? given.command;
  const isShell = SHELLS.includes(tool) && typeof command === 'string';
  if (isShell) return { tool_name: 'Bash', input: { ...given, command } };
  return { tool_name: tool, input: { ...(cmd !== undefined && { cmd }), ...given }, editable: false };
}

/** Calls without a thread are those of one folder. */
const idOf = (thread: string | undefined, folder: string): string =>
  thread && /^[\w.-]{1,100}$/.test(thread)
    ? thread
    : `folder-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;

export function decisionOf(outcome: ApprovalOutcome, input: Record<string, unknown>): object {
  if (outcome.status !== 'answered') return rejected(`It was not allowed (${outcome.status}: ${outcome.reason}).`);
  if (!outcome.allowed) return rejected(`The person said no: ${outcome.reason}`);
  if (canonical(outcome.input) === canonical(input)) return { decision: 'allow' };
  return rejected(`The person allows this instead, so ask for exactly that: ${JSON.stringify(outcome.input)}`);
}

const rejected = (reason: string) => ({ decision: 'reject', reason });
