// Makes notices from events: a cursor over the event table, moved in the transaction that stores what it led to, so that
// every event is planned once however many servers follow it. Steps of an escalation are notices that fall due.
import type { Ask } from '../core/ask.ts';
import type { Event, EventType } from '../core/event.ts';
import { compileGlob, matchesGlob } from '../core/glob.ts';
import { type Contact, type Notice, type NoticeDetail, type NoticeEvent, RETRY_MS, type Tell } from '../core/notice.ts';
import { contactsOf, planFor, type RouteSet } from '../core/notice-route.ts';
import type { UnansweredMessage } from '../core/notice-store.ts';
import type { Ports, Tx } from '../core/ports.ts';
import type { Session } from '../core/session.ts';
import { eventPage } from '../gateway/event-page.ts';
import type { Channel } from './channel.ts';
import { PACED_MS, type Pace, paceOf } from './pace.ts';

export interface Planning {
  ports: Ports;
  channels: ReadonlyMap<string, Channel>;
  routes(): RouteSet;
}

/** Few, so that a unit is short: notices that are claimed meanwhile make it run again. */
const PAGE = 50;
const RUN_ENDS = new Set<EventType>(['completed', 'failed', 'interrupted', 'cancelled']);
export const leadsToNotices = (type: EventType): boolean =>
  type === 'ask.raised' || type === 'ask.claimed' || type === 'ask.snoozed' || RUN_ENDS.has(type);

/** Resolves to whether there are more events. */
export async function planEvents(planning: Planning): Promise<boolean> {
  const { store } = planning.ports;
  const { from, events, hasMore } = await store.read(async (r) => {
    const cursor = await r.noticeCursor();
    const page = cursor === undefined ? { events: [], hasMore: false } : await eventPage(r, {}, cursor, PAGE);
    return { from: cursor, ...page };
  });
  if (from === undefined) await startPlanning(planning.ports);
  const last = events.at(-1)?.seq;
  if (last === undefined) return false;
  const relevant = events.filter(({ type }) => leadsToNotices(type));
  // What led to nothing moves the cursor with the next event that does; a long stretch of it moves it by itself.
  if (relevant.length === 0 && !hasMore) return false;
  await store.write(async (tx) => {
    if (!(await tx.moveNoticeCursor(from, last)) || relevant.length === 0) return;
    const plan = await openPlan(planning, tx);
    for (const event of relevant) await plan.event(event);
  });
  return hasMore;
}

/** Notices are for what happens from now on. */
export const startPlanning = ({ store }: Ports): Promise<unknown> =>
  store.write(async (tx) => tx.moveNoticeCursor(undefined, await tx.lastSeq()));

/** Tells the next people of a route, unless the ask has ended, is snoozed, or was seen where that stops the route. */
export async function takeStep(planning: Planning, step: Notice): Promise<void> {
  const { store, clock } = planning.ports;
  await store.write(async (tx) => {
    const now = clock.now();
    const ask = await tx.get('ask', step.askId ?? '');
    const stopped = whyStopped(step, ask, await tx.noticesOfAsk(step.askId ?? ''));
    const until = ask?.status === 'pending' ? ask.activity?.snoozed?.until_ms : undefined;
    if (stopped === undefined && until !== undefined && until > now) {
      await tx.replaceNotice(step, { ...step, dueAt: until });
      return;
    }
    const state = stopped === undefined ? ('accepted' as const) : ('cancelled' as const);
    const over = { ...step, state, reason: stopped, attempts: step.attempts + 1, dueAt: undefined, settledAt: now };
    if (!(await tx.replaceNotice(step, over)) || stopped !== undefined || !ask || !step.detail?.step) return;
    const { afterMs, tell } = step.detail.step;
    const plan = await openPlan(planning, tx);
    const detail = { afterMs, ...(step.detail.isUrgent && { isUrgent: true }) };
    await plan.tell(ask, 'ask.escalated', tell, detail, { subject: `step ${step.id}` });
  });
}

function whyStopped(step: Notice, ask: Ask | undefined, told: readonly Notice[]): string | undefined {
  if (ask?.status !== 'pending') return 'the request has ended';
  if (!step.detail?.step?.seenStops) return undefined;
  const seen = ask.seenBy.find(({ by }) => told.some(({ who, state }) => who === by && state === 'accepted'));
  return seen && `${seen.by} has seen it`;
}

/** By a rule or a setting, so that no person was asked. */
const isDecidedAtOnce = (ask: Ask): boolean =>
  ask.status !== 'pending' &&
  ask.answer.answered_at_ms === ask.createdAt &&
  /^(?:rule|grant|policy):/.test(ask.answer.answered_by);

interface Telling {
  /** What makes the notice of one contact unique. */
  subject: string;
  /** As the route wants it. */
  digest?: Pace;
}

async function openPlan({ ports, channels, routes }: Planning, tx: Tx) {
  let now = ports.clock.now();
  const contacts = await tx.contacts();
  const sessions = new Map<string, Session | undefined>();
  const sessionOf = async (id: string) => {
    if (!sessions.has(id)) sessions.set(id, await tx.get('session', id));
    return sessions.get(id);
  };
  const showsAsks = [...channels.values()].filter(({ shows }) => shows === 'asks').map(({ name }) => name);
  const isShown = ({ channel }: Contact) => showsAsks.includes(channel);

  const insert = (contact: Contact | undefined, subject: string, notice: Partial<Notice> & Pick<Notice, 'event'>) =>
    tx.insert('notice', {
      id: `ntc_${ports.hash(JSON.stringify([contact?.id ?? '', notice.event, subject])).slice(0, 32)}`,
      askId: undefined,
      runId: undefined,
      sessionId: undefined,
      contactId: contact?.id,
      channel: contact?.channel,
      who: contact?.name ?? '',
      handle: subject,
      orderKey: subject,
      batch: undefined,
      detail: undefined,
      state: 'due',
      reason: undefined,
      attempts: 0,
      dueAt: now,
      retryUntil: now + RETRY_MS,
      createdAt: now,
      sentAt: undefined,
      settledAt: undefined,
      ...notice,
    });

  /** Endpoints that want the event, and were added before it. */
  const subscribed = (event: NoticeEvent, session: Session | undefined, at: number): Contact[] =>
    contacts.filter(
      (contact) =>
        !isShown(contact) && contact.endedAt === undefined && contact.createdAt <= at && wants(contact, event, session),
    );

  const inOrder = (contact: Contact, ask: Ask) => (isShown(contact) ? ask.id : ask.sessionId);

  const unanswered = new Map<string, UnansweredMessage[]>();
  const paceFor = async (contact: Contact, session: Session | undefined, isUrgent: boolean): Promise<Pace> => {
    if (!session) return { gapMs: 0 };
    const messages = unanswered.get(contact.id) ?? (await tx.unansweredMessages(contact.id, now - PACED_MS));
    unanswered.set(contact.id, messages);
    const pace = paceOf(messages, session, isUrgent);
    // What is made here is not read back.
    const { id: sessionId, agent } = session;
    const next = { message: pace.batch ?? '', sessionId, agent };
    const isNew = !messages.some((each) => each.message === next.message && each.sessionId === sessionId);
    if (isNew || pace.batch === undefined) messages.push(next);
    return pace;
  };

  /** Of several asks that come together, those after the first wait until they can be one message. */
  const dueFor = async (contact: Contact, { gapMs, batch }: Pace) => {
    const last = gapMs > 0 && batch !== undefined ? await tx.batchSentAt(contact.id, batch) : undefined;
    return { dueAt: last === undefined ? now : Math.max(now, last + gapMs), batch };
  };

  const tell = async (
    ask: Ask,
    event: 'ask.raised' | 'ask.escalated',
    people: readonly Tell[],
    detail: NoticeDetail,
    telling: Telling,
  ) => {
    const session = await sessionOf(ask.sessionId);
    const common = { event, askId: ask.id, runId: ask.runId, sessionId: ask.sessionId, handle: ask.id, detail };
    // Who follows events is told of an ask that has ended meanwhile too, before its end.
    const named = ask.status === 'pending' ? contactsOf(people, contacts) : [];
    const meant = new Set([...named, ...subscribed(event, session, event === 'ask.raised' ? ask.createdAt : now)]);
    for (const contact of meant) {
      const due = isShown(contact)
        ? await dueFor(contact, telling.digest ?? (await paceFor(contact, session, detail.isUrgent ?? false)))
        : { dueAt: now };
      await insert(contact, telling.subject, { ...common, ...due, orderKey: inOrder(contact, ask) });
    }
    if (meant.size > 0 || ask.status !== 'pending' || !areMissed(people)) return;
    const who = people.map((each) => each.who).join(', ');
    const failed = { state: 'failed', reason: `${who}: has no device or endpoint for this`, dueAt: undefined } as const;
    await insert(undefined, `${telling.subject} nobody`, { ...common, ...failed, who, settledAt: now });
  };

  /** A route names them; without a route, there were devices and all of them are lost. */
  const areMissed = (people: readonly Tell[]): boolean =>
    people.some(({ who }) => who !== 'everyone') || contacts.some((contact) => isShown(contact));

  const raised = async (ask: Ask, session: Session) => {
    if (isDecidedAtOnce(ask)) return;
    const route = planFor(routes(), ask, session);
    const detail = route.isUrgent ? { isUrgent: true } : {};
    const digest = { gapMs: route.digestMs, batch: `route ${route.position}` };
    const telling = { subject: ask.id, ...(route.digestMs > 0 && { digest }) };
    await tell(ask, 'ask.raised', route.tell, detail, telling);
    if (ask.status !== 'pending') return;
    for (const { afterMs, tell: people } of route.steps)
      await insert(undefined, `${ask.id} after ${afterMs}`, {
        event: 'step',
        askId: ask.id,
        sessionId: ask.sessionId,
        who: people.map(({ who }) => who).join(', '),
        detail: { ...detail, step: { afterMs, tell: people, seenStops: route.seenStops } },
        dueAt: ask.createdAt + afterMs,
      });
  };

  /** Each by compare-and-set: one that a server is about to send is told of the end instead. Returns how they are then. */
  const cancelUnsent = async (ask: Ask): Promise<Notice[]> => {
    const isUnsent = ({ state, attempts, event, channel }: Notice) =>
      state === 'due' &&
      attempts === 0 &&
      event !== 'ask.ended' &&
      (channel === undefined || showsAsks.includes(channel));
    const over = { state: 'cancelled', reason: 'the request has ended', dueAt: undefined, settledAt: now } as const;
    const all: Notice[] = [];
    for (const notice of await tx.noticesOfAsk(ask.id)) {
      const isCancelled = isUnsent(notice) && (await tx.replaceNotice(notice, { ...notice, ...over }));
      all.push(isUnsent(notice) && !isCancelled ? ((await tx.get('notice', notice.id)) ?? notice) : notice);
    }
    return all;
  };

  /** Every message that may have arrived is closed; what was never sent is not sent. */
  const ended = async (ask: Ask, session: Session | undefined, at: number) => {
    if (isDecidedAtOnce(ask)) return;
    const common = { event: 'ask.ended' as const, askId: ask.id, runId: ask.runId, sessionId: ask.sessionId };
    const told = (await cancelUnsent(ask)).filter(({ attempts, event }) => attempts > 0 && event !== 'step');
    for (const contact of contacts) {
      if (!isShown(contact) || contact.endedAt !== undefined) continue;
      const shown = told.filter(({ contactId, event }) => contactId === contact.id && event !== 'ask.ended');
      // One of many that were told together may have been told alone later.
      for (const handle of new Set(shown.map((each) => each.handle)))
        await insert(contact, `${ask.id} ended ${handle}`, { ...common, handle, orderKey: handle });
    }
    for (const contact of subscribed('ask.ended', session, at))
      await insert(contact, `${ask.id} ended`, { ...common, handle: ask.id, orderKey: ask.sessionId });
  };

  /** Steps wait for the end of a snooze, and no longer when it is ended early. */
  const snoozed = async (ask: Ask) => {
    const until = ask.status === 'pending' ? (ask.activity?.snoozed?.until_ms ?? now) : now;
    for (const step of await tx.noticesOfAsk(ask.id)) {
      if (step.state !== 'due' || !step.detail?.step) continue;
      await tx.replaceNotice(step, { ...step, dueAt: Math.max(ask.createdAt + step.detail.step.afterMs, until) });
    }
  };

  const runEnded = async ({ runId, sessionId, type, at }: Event, session: Session | undefined) => {
    for (const contact of subscribed('run.ended', session, at))
      await insert(contact, `${runId} ended`, {
        event: 'run.ended',
        runId,
        sessionId,
        handle: `${runId}`,
        orderKey: sessionId,
        detail: { run: { status: type, atMs: at } },
      });
  };

  return {
    tell,
    async event(event: Event): Promise<void> {
      const session = await sessionOf(event.sessionId);
      if (RUN_ENDS.has(event.type)) return runEnded(event, session);
      const ask = event.askId === undefined ? undefined : await tx.get('ask', event.askId);
      // Many events take a while: whether the ask has ended is known as of now.
      now = ports.clock.now();
      if (!ask || !session) return;
      if (event.type === 'ask.claimed') await ended(ask, session, event.at);
      else if (event.type === 'ask.snoozed') await snoozed(ask);
      else await raised(ask, session);
    },
  };
}

function wants({ settings }: Contact, event: NoticeEvent, session: Session | undefined): boolean {
  const { events, agent, project } = settings;
  if (events && !events.includes(event)) return false;
  if (agent !== undefined && !matchesGlob(compileGlob(agent), session?.agent ?? '')) return false;
  if (project === undefined) return true;
  const pattern = compileGlob(project);
  return session?.projectIds.some((id) => matchesGlob(pattern, id)) ?? false;
}
