// Translates events of the log into OpenCode's events: an ask that is raised or has ended, a session that is new, at work
// or idle. Looks up what an event does not say.
import type { Event, EventType } from '../../core/event.ts';
import { threadIdOf } from '../../core/session.ts';
import type { Actor } from '../../core/token.ts';
import type { ApprovalAskView, AskView, QuestionAskView } from '../../core/views.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { requestIdOf, sessionIdOf } from './ids.ts';
import { permissionOf, replyOf } from './permission.ts';
import type { DoorEvent } from './protocol.ts';
import { answersOf, isShown, questionOf } from './question.ts';
import { askMessage, type Conversation, folderOf, sessionOf } from './session.ts';

const RUN_ENDS: readonly EventType[] = ['completed', 'failed', 'interrupted', 'cancelled'];
const ASKED: readonly EventType[] = ['waiting_for_approval', 'waiting_for_user_question'];
const TRANSLATED = new Set<EventType>([...ASKED, 'ask.claimed', 'session.created', 'started', ...RUN_ENDS]);

export const isTranslated = ({ type }: Event): boolean => TRANSLATED.has(type);

type Draft = DoorEvent extends infer E ? (E extends DoorEvent ? Omit<E, 'id'> : never) : never;

export interface Translated {
  directory: string;
  events: DoorEvent[];
}

interface Translator {
  gateway: Gateway;
  actor: Actor;
  version: string;
}

export async function translate(event: Event, { gateway, actor, version }: Translator): Promise<Translated> {
  const session = await conversationOf(gateway, event.sessionId);
  const ask = event.askId === undefined ? undefined : await gateway.showAsk(event.askId, actor);
  return named(event.id, session, draftsOf(event, session, ask, version));
}

/** As it was asked, for a client that was not there. */
export async function eventsOfPending(ask: AskView, gateway: Gateway): Promise<Translated> {
  const session = await conversationOf(gateway, ask.session_id);
  return named(`evt_${ask.ask_id}`, session, askedDrafts(session, ask));
}

function named(id: string, session: Conversation, drafts: readonly Draft[]): Translated {
  const events = drafts.map((draft, i) => ({ id: i === 0 ? id : `${id}_${i}`, ...draft }) as DoorEvent);
  return { directory: folderOf(session), events };
}

export async function conversationOf(gateway: Gateway, sessionId: string): Promise<Conversation> {
  const session = await gateway.threadOf(threadIdOf(sessionId));
  return {
    session_id: session.id,
    agent: session.agent,
    agent_id: session.agentId,
    title: session.title,
    work_folder: session.workFolder,
    parent_session_id: session.parentSessionId,
    created_at_ms: session.createdAt,
    updated_at_ms: session.updatedAt,
  };
}

function draftsOf(event: Event, session: Conversation, ask: AskView | undefined, version: string): Draft[] {
  const sessionID = sessionIdOf(event.sessionId);
  if (event.type === 'session.created')
    return [{ type: 'session.created', properties: { sessionID, info: sessionOf(session, version) } }];
  if (event.type === 'started')
    return [{ type: 'session.status', properties: { sessionID, status: { type: 'busy' } } }];
  if (RUN_ENDS.includes(event.type))
    return [{ type: 'session.status', properties: { sessionID, status: { type: 'idle' } } }];
  if (!ask) return [];
  if (ASKED.includes(event.type)) return askedDrafts(session, ask);
  return ask.kind === 'approval' ? permissionEnded(session, ask) : questionEnded(ask);
}

/** Of an approval the tool call first: clients show what is asked from its input. */
function askedDrafts(session: Conversation, ask: AskView): Draft[] {
  if (ask.kind === 'question') return isShown(ask) ? [{ type: 'question.asked', properties: questionOf(ask) }] : [];
  const call = toolCall(session, { ...ask, answer: undefined });
  return [...call, { type: 'permission.asked', properties: permissionOf(ask) }];
}

function permissionEnded(session: Conversation, ask: ApprovalAskView): Draft[] {
  if (wasNeverPending(ask)) return [];
  const properties = {
    sessionID: sessionIdOf(ask.session_id),
    requestID: requestIdOf('per_', ask.ask_id),
    reply: replyOf(ask),
  };
  return [{ type: 'permission.replied', properties }, ...toolCall(session, ask)];
}

/** Decided by a setting or a rule when it was raised. */
const wasNeverPending = ({ answer, created_at_ms }: ApprovalAskView): boolean =>
  answer?.outcome === 'answered' && answer.surface === 'system' && answer.answered_at_ms === created_at_ms;

function toolCall(session: Conversation, ask: ApprovalAskView): Draft[] {
  const { info, parts } = askMessage(session, ask);
  const { sessionID } = info;
  const time = ask.answer?.answered_at_ms ?? ask.created_at_ms;
  return [
    { type: 'message.updated', properties: { sessionID, info } },
    ...parts.map((part): Draft => ({ type: 'message.part.updated', properties: { sessionID, part, time } })),
  ];
}

function questionEnded(ask: QuestionAskView): Draft[] {
  if (!isShown(ask)) return [];
  const properties = { sessionID: sessionIdOf(ask.session_id), requestID: requestIdOf('que_', ask.ask_id) };
  if (ask.answer?.outcome !== 'answered') return [{ type: 'question.rejected', properties }];
  return [{ type: 'question.replied', properties: { ...properties, answers: answersOf(ask) } }];
}
