// Binds notices together: follows the log, plans and dispatches while there is a contact or a route, and offers the use cases of
// devices, webhooks and settings. Without any it reads and writes nothing.
import webPush from 'web-push';
import { fail } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import type { Contact } from '../core/notice.ts';
import { type RouteSet, unknownNames } from '../core/notice-route.ts';
import type { AddDevice, AddWebhook, NoticeSettingsView, Redeliver } from '../core/notice-views.ts';
import type { Page, Ports } from '../core/ports.ts';
import type { QuietHours } from '../core/quiet-hours.ts';
import type { Actor } from '../core/token.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Key } from '../gateway/mutate.ts';
import { createChannels } from './channels.ts';
import { addDevice, addWebhook, endContact, removeContact } from './contacts.ts';
import { Dispatcher, type Dispatching } from './dispatch.ts';
import { createGuardedPost } from './guarded-post.ts';
import { Loop } from './loop.ts';
import type { Summarise } from './message.ts';
import { leadsToNotices, planEvents, startPlanning } from './plan.ts';
import { setQuietHours } from './quiet-hours.ts';
import { redeliver } from './redeliver.ts';
import { sendTest } from './test-notice.ts';
import { deviceView, noticeView, webhookView } from './views.ts';

export interface NoticeRoutesFile {
  routes(): RouteSet;
  fault(): string | undefined;
}

export interface NoticeOptions {
  summarise: Summarise;
  routes: NoticeRoutesFile;
  /** Hosts inside the network that may be notified, as the operator named them. */
  privateHosts: readonly string[];
  pushContact: string;
  pageUrl(): string | undefined;
  onError(error: unknown): void;
}

export type Notices = ReturnType<typeof createNotices>;

const UNREACHED_SHOWN = 500;
const NOTICES_SHOWN = 500;
/** A request that takes longer is ended, and made again by the next server. */
const STOP_GRACE_MS = 1000;
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

export function createNotices(ports: Ports, gateway: Pick<Gateway, 'follow' | 'lastSeq'>, options: NoticeOptions) {
  const { store, clock, sealer } = ports;
  const { privateHosts: hosts } = options;
  const now = () => clock.now();
  const stopping = new AbortController();
  const channels = createChannels({
    post: createGuardedPost({ privateHosts: hosts, now, stopping: stopping.signal }),
    vapidKeys,
    pushContact: options.pushContact,
    pageUrl: options.pageUrl,
    now,
  });
  const dispatching: Dispatching = {
    ports,
    channels,
    routes: options.routes.routes,
    summarise: options.summarise,
    random: Math.random,
    end: (contact, reason) => endContact(ports, contact, reason),
    onError: options.onError,
  };
  let hasContacts = false;
  let forgotten = 0;
  const isActive = () => hasContacts || options.routes.routes().length > 0;
  const planning = new Loop(async (hasNews) => {
    if (!isActive() || !hasNews) return false;
    while (await planEvents(dispatching));
    sending.wake(false);
    return false;
  }, options.onError);
  const dispatcher = new Dispatcher(dispatching, () => sending.wake(false));
  const sending = new Loop(async () => {
    if (!isActive()) return false;
    if (now() - forgotten > 60 * 60 * 1000) {
      forgotten = now();
      await store.write((tx) => tx.forget('notice', now() - KEEP_MS));
    }
    return dispatcher.startDue();
  }, options.onError);

  /** Made when the first browser asks for it; all servers of a database use the same pair. */
  async function vapidKeys(): Promise<{ publicKey: string; privateKey: string }> {
    const fresh = sealer.seal(JSON.stringify(webPush.generateVAPIDKeys()));
    return JSON.parse(sealer.open(await store.write((tx) => tx.keepFact('vapid', fresh))));
  }

  const load = async () => {
    hasContacts = (await store.reader.contacts()).length > 0;
  };
  const deliver = (events: readonly Event[]): boolean => {
    const isChanged = events.some(({ type }) => type === 'contact.added' || type === 'contact.removed');
    if (isChanged) void load().then(() => planning.wake(true), options.onError);
    if (isActive() && events.some(({ type }) => leadsToNotices(type))) planning.wake(true);
    return true;
  };
  let following: { stop(): void } | undefined;
  let keys: ReturnType<typeof vapidKeys> | undefined;

  return {
    async start(): Promise<void> {
      await load();
      following = gateway.follow({ filter: {}, deliver }, await gateway.lastSeq());
      if (isActive() && (await store.reader.noticeCursor()) === undefined) await startPlanning(ports);
      planning.start(isActive);
      sending.start(isActive);
    },
    async stop(): Promise<void> {
      following?.stop();
      const grace = setTimeout(() => stopping.abort(), STOP_GRACE_MS);
      await planning.stop();
      await sending.stop();
      await dispatcher.idle();
      clearTimeout(grace);
    },
    isActive,
    addDevice: async (body: AddDevice, actor: Actor, key?: Key) => {
      const { created, view } = await addDevice(ports, hosts, body, actor, key);
      return { created, view: deviceView(view, actor) };
    },
    addWebhook: async (body: AddWebhook, actor: Actor, key?: Key) => {
      const { created, view } = await addWebhook(ports, hosts, body, actor, key);
      return { created, view: { ...webhookView(view.contact), secret: view.secret } };
    },
    removeDevice: async (id: string, actor: Actor, key?: Key) => {
      const { created, view } = await removeContact(ports, id, 'push', actor, key);
      return { created, view: deviceView(view, actor) };
    },
    removeWebhook: async (id: string, actor: Actor, key?: Key) => {
      const { created, view } = await removeContact(ports, id, 'webhook', actor, key);
      return { created, view: webhookView(view) };
    },
    listDevices: async (actor: Actor) => (await contactsOn('push')).map((contact) => deviceView(contact, actor)),
    listWebhooks: async () => (await contactsOn('webhook')).map(webhookView),
    listDeliveries: (webhookId: string, page: Page) =>
      store.read(async (r) => {
        if ((await r.get('contact', webhookId))?.channel !== 'webhook')
          throw fail('contact_not_found', `There is no webhook "${webhookId}".`);
        const rows = await r.noticesOf(webhookId, page);
        const next = rows.length === page.limit ? rows.at(-1)?.at : undefined;
        return { views: rows.map(({ value }) => noticeView(value)), cursor: 0, next };
      }),
    redeliver: async (webhookId: string, body: Redeliver, key?: Key) => {
      const reply = await redeliver(ports, webhookId, body, key);
      sending.wake(false);
      return reply;
    },
    sendTest: (who: string | undefined, actor: Actor) => sendTest(ports, () => sending.wake(false), who, actor),
    setQuietHours: async (hours: QuietHours | undefined, actor: Actor, key?: Key) => {
      const reply = await setQuietHours(ports, hours, actor, key);
      sending.wake(false);
      return reply;
    },
    /** Of one ask, for people. */
    noticesOf: async (askId: string) =>
      isActive()
        ? store.read(async (r) => {
            const contacts = new Map((await r.contacts()).map((contact) => [contact.id, contact]));
            return (await r.noticesOfAsk(askId, NOTICES_SHOWN)).map((notice) =>
              noticeView(notice, contacts.get(notice.contactId ?? '')),
            );
          })
        : [],
    pushKey: async () => {
      keys ??= vapidKeys();
      keys.catch(() => {
        keys = undefined;
      });
      return { public_key: (await keys).publicKey };
    },
    async settings(actor: Actor): Promise<NoticeSettingsView> {
      const routes = options.routes.routes();
      const fault = options.routes.fault();
      return store.read(async (r) => {
        const hours = (await r.quietHours()).find(({ person }) => person === actor.person)?.hours;
        return {
          is_active: isActive(),
          ...(hours && { quiet_hours: hours }),
          routes: routes.length,
          ...(fault !== undefined && { routes_fault: fault }),
          unknown_names: unknownNames(routes, await r.contacts()),
          unreached: isActive() ? await r.unreachedAsks(now(), UNREACHED_SHOWN) : [],
        };
      });
    },
    /** For metrics. */
    counts: () =>
      isActive()
        ? store.read(async (r) => ({
            states: await r.noticeCounts(),
            unreached: (await r.unreachedAsks(now(), 1000)).length,
          }))
        : undefined,
  };

  async function contactsOn(channel: string): Promise<Contact[]> {
    return (await store.reader.contacts()).filter((contact) => contact.channel === channel);
  }
}
