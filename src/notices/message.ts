// Builds the message of a notice from the records as they are now. Agents' text is redacted, bounded and spelled out before
// any channel sees it; secret answers are in no record that is read here.
import type { Ask } from '../core/ask.ts';
import { exactSegments, spelledOut } from '../core/hidden-characters.ts';
import type { Contact, Notice, NoticeEvent } from '../core/notice.ts';
import type { Reader } from '../core/ports.ts';
import { redacted } from '../core/redaction.ts';
import { assessRisk } from '../core/risk.ts';
import type { Session } from '../core/session.ts';
import { truncate } from '../core/text-limit.ts';
import type { ApprovalRequest, UserQuestionRequest } from '../core/views.ts';
import { requestView } from '../gateway/views.ts';
import type { Message, MessageAsk } from './channel.ts';

/** The one-line summary that every surface shows, here of a masked text. */
export type Summarise = (
  request: ApprovalRequest | UserQuestionRequest,
  mask?: (text: string) => string,
) => { heading: string; text: string };

const LONGEST_TEXT = 280;
const LONGEST_NAME = 80;

interface Sources {
  reader: Reader;
  summarise: Summarise;
}

/** Undefined: there is nothing to say any more. */
export async function messageOf(sources: Sources, notice: Notice, contact: Contact): Promise<Message | undefined> {
  const { reader, summarise } = sources;
  const { askId, runId, sessionId, handle } = notice;
  const session = sessionId === undefined ? undefined : await reader.get('session', sessionId);
  const base = {
    id: notice.id,
    handle,
    event: notice.event as NoticeEvent,
    isUrgent: notice.detail?.isUrgent ?? false,
    sessionId,
    runId,
    agent: session?.agent,
    title: session?.title === undefined ? undefined : plain(session.title, LONGEST_NAME),
  };
  if (notice.event === 'test') return { ...base, atMs: notice.createdAt, path: '/' };
  if (notice.event === 'run.ended') {
    const { status = 'ended', atMs = notice.createdAt } = notice.detail?.run ?? {};
    return { ...base, atMs, path: `/sessions/${encodeURIComponent(sessionId ?? '')}`, run: { status } };
  }
  const ask = askId === undefined ? undefined : await reader.get('ask', askId);
  if (!ask) return undefined;
  const joint = handle === ask.id ? undefined : await reader.asksOfHandle(contact.id, handle);
  const shown: Message = {
    ...base,
    ...(joint?.some((other) => other.sessionId !== sessionId) && { agent: undefined, title: undefined }),
    atMs: ask.createdAt,
    path: joint ? '/' : `/asks/${encodeURIComponent(ask.id)}`,
    runId: ask.runId,
    ask: askOf(ask, session, summarise),
    ...(notice.detail?.afterMs !== undefined && { waitedMs: notice.detail.afterMs }),
    ...(joint && { count: joint.length }),
  };
  if (notice.event !== 'ask.ended') return shown;
  if (ask.status === 'pending') return undefined;
  const { outcome, behavior, answered_by, surface, answered_at_ms } = ask.answer;
  const ended = { outcome, answered_by: plain(answered_by, LONGEST_NAME), surface, answered_at_ms };
  return { ...shown, atMs: answered_at_ms, ended: { ...ended, ...(behavior !== undefined && { behavior }) } };
}

function askOf(ask: Ask, session: Session | undefined, summarise: Summarise): MessageAsk {
  const request = requestView(ask);
  const exact = summarise(request);
  const heading = plain(exact.heading, LONGEST_NAME);
  const text = plain(summarise(request, (given) => redacted(given).text).text, LONGEST_TEXT);
  const isExact = heading === exact.heading && text === exact.text;
  return {
    id: ask.id,
    kind: ask.kind,
    digest: ask.digest,
    heading,
    text,
    isWhole: isExact && (ask.kind === 'question' || isShownBy(ask.content.input, text)),
    isLowRisk: ask.kind === 'approval' && isLowRisk(ask, session),
    ...(ask.expiresAt !== undefined && { expiresAtMs: ask.expiresAt }),
  };
}

/** The text is the whole input: one field, on one line. */
function isShownBy(input: Record<string, unknown>, text: string): boolean {
  const values = Object.values(input);
  return values.length === 1 && values[0] === text;
}

/** No sign of a risk but a deadline. Signs are found by reading: this decides only which buttons are offered. */
const isLowRisk = (ask: Extract<Ask, { kind: 'approval' }>, session: Session | undefined): boolean =>
  assessRisk({
    action: ask.content,
    work_folder: ask.content.work_folder ?? session?.workFolder,
    session_folder: session?.workFolder,
  }).length === 0;

/** Masked after it is spelled out too: hidden characters may have kept a secret from being recognised. */
const plain = (text: string, most: number): string => truncate(redacted(spelledOut(exactSegments(text))).text, most);
