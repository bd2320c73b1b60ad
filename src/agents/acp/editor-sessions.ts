// Follows which sessions an editor opens with an ACP agent, and the turns in them: a session becomes an attached session here
// when its agent first asks something, and a turn that asks becomes a run. Reads messages; changes and answers none.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AskOptions } from '../../client/asking.ts';
import type { Client } from '../../client/client.ts';
import type { HookCall } from '../agent.ts';
import { type AttachedRun, endRun, openAttachedRun, settling, unsettledAsks } from '../kit/attached-session.ts';
import type { EditorProxyContext } from '../kit/editor-proxy.ts';
import { withdrawAsk } from '../kit/pending-asks.ts';
import { createUnusedApprovals } from '../kit/unused-approvals.ts';
import { createDecisions } from './decisions.ts';
import { quirksOf } from './quirks.ts';

const Id = z.union([z.string(), z.number()]);
const Opening = z.looseObject({
  id: Id,
  method: z.enum(['session/new', 'session/load', 'session/resume', 'session/fork']),
  params: z.looseObject({ cwd: z.string().optional(), sessionId: z.string().optional() }),
});
const Prompt = z.looseObject({
  id: Id,
  method: z.literal('session/prompt'),
  params: z.looseObject({ sessionId: z.string(), prompt: z.array(z.looseObject({ text: z.string().optional() })) }),
});
const Cancel = z.looseObject({
  method: z.literal('session/cancel'),
  params: z.looseObject({ sessionId: z.string() }),
});
const Result = z.looseObject({
  id: Id,
  method: z.undefined().optional(),
  result: z
    .looseObject({ sessionId: z.string().optional(), agentInfo: z.looseObject({ name: z.string() }).nullish() })
    .nullish(),
});

export const GONE = 'the editor or the agent is gone';
export const TURN_ENDED = 'its turn ended';

interface EditorSession {
  folder: string;
  text: string;
  turn?: Promise<Turn> | undefined;
  /** Resolves when the turn before has ended: an ask of the next one must not get into its run. */
  ended?: Promise<void>;
}

interface Turn {
  runId: string;
  decisions: ReturnType<typeof createDecisions>;
  hasRaised(askId: string): boolean;
  removeRecord(): Promise<void>;
}

/** A number and a text are different ids. */
const keyOf = (id: string | number): string => JSON.stringify(id);

/** Ends what a proxy that was killed has left open. */
export const endAbandonedRun = (client: Client, { run_id }: HookCall): Promise<void> =>
  endTurnRun(client, run_id, GONE);

/**
 * Ends asks that are not settled: those of a process that is gone, and those of which the server could not be told at the time.
 * A run in which another editor of the same session waits is ended by that one.
 */
async function endTurnRun(client: Client, run_id: string, error?: string, isOwn = (_: string) => true): Promise<void> {
  const { session_id } = await client.runs.get(run_id);
  const unsettled = (await unsettledAsks(client, { session_id })).filter((ask) => ask.run_id === run_id);
  const own = unsettled.filter(({ ask_id }) => isOwn(ask_id));
  for (const { ask_id } of own) await withdrawAsk(settling(client), ask_id, error ?? TURN_ENDED);
  if (own.length === unsettled.length) await endRun(client, run_id, error === undefined ? undefined : { error });
}

export function createEditorSessions(context: EditorProxyContext) {
  const sessions = new Map<string, EditorSession>();
  const opening = new Map<string | number, z.infer<typeof Opening>['params']>();
  /** In flight, by `keyOf` their ids. */
  const prompts = new Map<string, { key: string; sessionId: string; isCancelled: boolean }>();
  const promptsOf = (sessionId: string) => [...prompts.values()].filter((prompt) => prompt.sessionId === sessionId);
  let agentName: string | undefined;

  const hasEnded = ({ runId }: Turn): Promise<boolean> =>
    context.client.runs.get(runId).then(
      ({ finished_at_ms }) => finished_at_ms !== undefined,
      () => false,
    );

  const sessionOf = (id: string): EditorSession => {
    const session = sessions.get(id) ?? { folder: context.folder, text: '' };
    sessions.set(id, session);
    return session;
  };

  /** The record stays where the server could not be reached. */
  function endTurn(session: EditorSession, recorded: Promise<void>, error?: string): Promise<void> {
    const opened = session.turn?.catch(() => undefined);
    const before = session.ended;
    session.turn = undefined;
    session.ended = (async () => {
      await Promise.all([before, recorded]);
      const turn = await opened;
      if (!turn) return;
      const { runId, hasRaised, removeRecord } = turn;
      await endTurnRun(context.client, runId, error, hasRaised).then(removeRecord, () => {});
    })();
    return session.ended;
  }

  return {
    /** A message of the editor. Returns the session whose turn it cancels. */
    requested(message: unknown): string | undefined {
      const opened = Opening.safeParse(message).data;
      if (opened) opening.set(opened.id, opened.params);
      const prompt = Prompt.safeParse(message).data;
      if (prompt) {
        const { sessionId, prompt: content } = prompt.params;
        const key = keyOf(prompt.id);
        prompts.set(key, { key, sessionId, isCancelled: false });
        sessionOf(sessionId).text = content.map(({ text = '' }) => text).join(' ');
      }
      const cancelled = Cancel.safeParse(message).data?.params.sessionId;
      if (cancelled !== undefined) for (const one of promptsOf(cancelled)) one.isCancelled = true;
      return cancelled;
    },
    /** A message of the agent. Returns the prompt that it ends. */
    responded(message: unknown): { sessionId: string; key: string } | undefined {
      const response = Result.safeParse(message).data;
      if (!response) return undefined;
      const { id, result } = response;
      if (result?.agentInfo) agentName = result.agentInfo.name;
      const opened = opening.get(id);
      opening.delete(id);
      const openedId = result?.sessionId ?? opened?.sessionId;
      if (opened && openedId !== undefined) sessionOf(openedId).folder = opened.cwd ?? context.folder;
      const prompt = prompts.get(keyOf(id));
      prompts.delete(keyOf(id));
      return prompt;
    },
    promptsOf,
    /** Ends the run in which a session asked, once its asks are recorded. */
    endTurn: (sessionId: string, recorded: Promise<void>): Promise<void> => endTurn(sessionOf(sessionId), recorded),
    /** Whether the editor has opened the session, or prompted it. */
    isOpen: (sessionId: string): boolean => sessions.has(sessionId),
    /** The run of the turn in which a session asks: another one where that was ended here while the turn continues. */
    turnOf(sessionId: string): Promise<Turn> {
      const session = sessionOf(sessionId);
      const { turn: known, ended: before } = session;
      const next = async (): Promise<Turn> => {
        await before;
        const open = await known?.catch(() => undefined);
        if (open && !(await hasEnded(open))) return open;
        await open?.removeRecord();
        return openTurn(context, sessionId, session, agentName);
      };
      const turn = next();
      session.turn = turn;
      turn.catch(() => {
        if (session.turn === turn) session.turn = undefined;
      });
      return turn;
    },
    async close(): Promise<void> {
      for (const session of sessions.values()) await endTurn(session, Promise.resolve(), GONE);
    },
  };
}

async function openTurn(
  { client, waits, machine, record }: EditorProxyContext,
  id: string,
  { folder, text }: EditorSession,
  agentName: string | undefined,
): Promise<Turn> {
  const title = agentName ?? 'ACP agent';
  const conversation = {
    agent: 'acp',
    sessionPrefix: 'acp-own-',
    label: machine,
    id: uniqueId(id, machine, folder),
    folder,
    title: text || title,
  };
  const run = await openAttachedRun(client, waits, conversation, { text });
  const { run_id: runId } = run.run;
  const removeRecord = record({ run_id: runId, call_id: runId });
  const raised = new Set<string>();
  const noted = (options: AskOptions = {}): AskOptions => ({
    ...options,
    raised(askId) {
      raised.add(askId);
      options.raised?.(askId);
    },
  });
  const asking: AttachedRun = {
    ...run,
    ask: (spec, options) => run.ask(spec, noted(options)),
    approve: (spec, options) => run.approve(spec, noted(options)),
  };
  const unusedApprovals = createUnusedApprovals();
  const quirks = () => quirksOf(agentName);
  const decisions = createDecisions({ context: asking, unusedApprovals, known: [], title, quirks, isShared: true });
  return { runId, decisions, hasRaised: (askId) => raised.has(askId), removeRecord };
}

/** Agents choose the ids of their sessions: a short one, as of a counter, occurs in other folders and agents too. */
const uniqueId = (id: string, ...place: string[]): string =>
  /^[\w.-]{16,100}$/.test(id)
    ? id
    : `${id.replace(/[^\w.-]/g, '').slice(0, 40)}.${createHash('sha256')
        .update([id, ...place].join('\0'))
        .digest('hex')
        .slice(0, 16)}`;
