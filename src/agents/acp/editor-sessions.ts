// Follows which sessions an editor opens with an ACP agent, and the turns in them: a session becomes an attached session here
// when its agent first asks something, and a turn that asks becomes a run. Reads messages; changes and answers none.
import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import type { HookCall } from '../agent.ts';
import { endLost, endRun, openAttachedRun, unsettledAsks } from '../kit/attached-session.ts';
import type { EditorProxyContext } from '../kit/editor-proxy.ts';
import { createUnusedApprovals } from '../kit/unused-approvals.ts';
import { createDecisions } from './decisions.ts';
import { quirksOf } from './quirks.ts';

const Id = z.union([z.string(), z.number()]);
const Opening = z.looseObject({
  id: Id,
  method: z.enum(['session/new', 'session/load', 'session/resume']),
  params: z.looseObject({ cwd: z.string().optional(), sessionId: z.string().optional() }),
});
const Prompt = z.looseObject({
  id: Id,
  method: z.literal('session/prompt'),
  params: z.looseObject({ sessionId: z.string(), prompt: z.array(z.looseObject({ text: z.string().optional() })) }),
});
const Result = z.looseObject({
  id: Id,
  method: z.undefined().optional(),
  result: z
    .looseObject({ sessionId: z.string().optional(), agentInfo: z.looseObject({ name: z.string() }).nullish() })
    .nullish(),
});

const GONE = 'the editor or the agent is gone';

interface EditorSession {
  folder: string;
  text: string;
  turn?: ReturnType<typeof openTurn> | undefined;
}

/** Ends what a proxy that was killed has left open. */
export async function endAbandonedRun(client: Client, { run_id }: HookCall): Promise<void> {
  const { session_id } = await client.runs.get(run_id);
  const asks = (await unsettledAsks(client, { session_id })).filter((ask) => ask.run_id === run_id);
  await endLost(client, asks, GONE, { error: GONE });
  await endRun(client, run_id, { error: GONE });
}

export function createEditorSessions(context: EditorProxyContext) {
  const sessions = new Map<string, EditorSession>();
  const opening = new Map<string | number, z.infer<typeof Opening>['params']>();
  const prompts = new Map<string | number, string>();
  let agentName: string | undefined;

  const sessionOf = (id: string): EditorSession => {
    const session = sessions.get(id) ?? { folder: context.folder, text: '' };
    sessions.set(id, session);
    return session;
  };

  async function endTurn(session: EditorSession, error?: string): Promise<void> {
    const turn = await session.turn?.catch(() => undefined);
    session.turn = undefined;
    if (!turn) return;
    await endRun(context.client, turn.runId, error === undefined ? undefined : { error }).catch(() => {});
    await turn.removeRecord();
  }

  return {
    /** A message of the editor. */
    requested(message: unknown): void {
      const opened = Opening.safeParse(message).data;
      if (opened) opening.set(opened.id, opened.params);
      const prompt = Prompt.safeParse(message).data;
      if (!prompt) return;
      prompts.set(prompt.id, prompt.params.sessionId);
      sessionOf(prompt.params.sessionId).text = prompt.params.prompt.map(({ text = '' }) => text).join(' ');
    },
    /** A message of the agent. `end`: ends the run of the turn that it ends. */
    responded(message: unknown): { sessionId: string; end(): Promise<void> } | undefined {
      const response = Result.safeParse(message).data;
      if (!response) return undefined;
      const { id, result } = response;
      if (result?.agentInfo) agentName = result.agentInfo.name;
      const opened = opening.get(id);
      opening.delete(id);
      const openedId = result?.sessionId ?? opened?.sessionId;
      if (opened?.cwd && openedId !== undefined) sessionOf(openedId).folder = opened.cwd;
      const sessionId = prompts.get(id);
      prompts.delete(id);
      return sessionId === undefined ? undefined : { sessionId, end: () => endTurn(sessionOf(sessionId)) };
    },
    /** The run of the turn in which a session asks. */
    turnOf(sessionId: string): ReturnType<typeof openTurn> {
      const session = sessionOf(sessionId);
      const turn = session.turn ?? openTurn(context, sessionId, session, agentName);
      session.turn = turn;
      turn.catch(() => {
        session.turn = undefined;
      });
      return turn;
    },
    async close(): Promise<void> {
      for (const session of sessions.values()) await endTurn(session, GONE);
    },
  };
}

async function openTurn(
  { client, waits, machine, record }: EditorProxyContext,
  id: string,
  { folder, text }: EditorSession,
  agentName: string | undefined,
) {
  const title = agentName ?? 'ACP agent';
  const conversation = { agent: 'acp', sessionPrefix: 'acp-own-', label: machine, id, folder, title: text || title };
  const run = await openAttachedRun(client, waits, conversation, { text });
  const { run_id: runId } = run.run;
  const removeRecord = record({ run_id: runId, call_id: runId });
  const unusedApprovals = createUnusedApprovals();
  const quirks = () => quirksOf(agentName);
  const decisions = createDecisions({ context: run, unusedApprovals, known: [], title, quirks, isShared: true });
  return { runId, decisions, acknowledge: run.acknowledge, removeRecord };
}
