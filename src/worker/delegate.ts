// Consults the delegates that the server's rules name. A program gets the tool's input as JSON on standard input, and AGENT
// and AGENT_TOOL_NAME in its environment: exit code 0 allows, 1 asks, any other rejects with standard error as the reason. A
// URL gets the call as JSON and replies {decision, reason}. What takes too long, does not start or replies otherwise asks.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ConsultDelegate, DelegateCall, Verdict } from '../core/delegate.ts';
import { storable, truncate } from '../core/text-limit.ts';
import { processes } from './process.ts';
import { inherited } from './program-environment.ts';

const TIMEOUT_MS = 30_000;
/** Further calls are asked. */
const MOST_AT_ONCE = 16;
const LONGEST_REASON = 2000;
const LONGEST_REPLY = 64 * 1024;

const Reply = z.object({ decision: z.enum(['allow', 'ask', 'reject']), reason: z.string().optional() });

/** `folder`: where programs run. */
export function createDelegates(folder: string, signal: AbortSignal, timeoutMs = TIMEOUT_MS): ConsultDelegate {
  let running = 0;
  return async (call) => {
    if (running >= MOST_AT_ONCE) return asks(`${running} delegates are being consulted already`);
    running += 1;
    const limits = { signal, timeoutMs };
    try {
      return await (/^https?:\/\//.test(call.to) ? byUrl(call, limits) : byProgram(call, folder, limits));
    } catch (error) {
      return asks(`${call.to} failed: ${(error as Error).message}`);
    } finally {
      running -= 1;
    }
  };
}

interface Limits {
  signal: AbortSignal;
  timeoutMs: number;
}

const text = (reason: string): string => storable(truncate(reason.trim(), LONGEST_REASON));
const asks = (reason: string): Verdict => ({ decision: 'ask', reason: text(reason), hasFailed: true });

async function byProgram(call: DelegateCall, folder: string, { signal, timeoutMs }: Limits): Promise<Verdict> {
  const { to, agent, tool_name, input } = call;
  const id = randomUUID();
  const env = {
    ...inherited(),
    AGENT: agent,
    AGENT_TOOL_NAME: tool_name,
    AGENT_SESSION_ID: call.session_id,
    AGENT_WORK_FOLDER: call.work_folder ?? '',
    DELEGATE_CALL: id,
  };
  const {
    exitCode,
    stderr,
    timedOut,
    signal: ending,
  } = await processes.run({
    argv: [to],
    folder,
    env,
    input: JSON.stringify(input),
    limitMs: timeoutMs,
    signal,
    mark: `DELEGATE_CALL=${id}`,
    onStart() {},
  });
  if (timedOut) return asks(`${to} took longer than ${timeoutMs} ms`);
  if (ending !== undefined) return asks(`${to} was ended by ${ending}`);
  if (exitCode === 126 || exitCode === 127) return asks(`${to} did not start: ${stderr}`);
  const decision = exitCode === 0 ? 'allow' : exitCode === 1 ? 'ask' : 'reject';
  return { decision, reason: text(stderr) || `${to} exited with ${exitCode}` };
}

/** A redirection is not followed: the rules name the address. */
async function byUrl(call: DelegateCall, { signal, timeoutMs }: Limits): Promise<Verdict> {
  const { to, ...body } = call;
  const response = await fetch(to, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  const reply = await bounded(response);
  const read = response.status === 200 ? Reply.safeParse(reply) : undefined;
  if (!read?.success) return asks(`${to} replied with ${response.status} and no decision`);
  return { decision: read.data.decision, reason: text(read.data.reason ?? '') || `${to} says ${read.data.decision}` };
}

async function bounded({ body }: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > LONGEST_REPLY) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}
