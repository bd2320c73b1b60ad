// The page's service worker. Caches the document and its assets, so that the page opens while the server is away; shows what
// is pushed and handles presses on notifications. API responses are never cached: stale asks are not shown.
const CACHE = 'holdpoint-page';
const DOCUMENT = '/';
/** The build fills in every script and style, so each build installs anew and every part of the page opens offline. */
const ASSETS = [];
const PAGES = /^\/(?:$|(?:sign-in|asks|sessions|history|insights|rules|settings|notifications)(?:\/|$))/;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll([DOCUMENT, ...ASSETS]))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) =>
  event.waitUntil(Promise.all([self.clients.claim(), removeEarlierBuilds()])),
);

async function removeEarlierBuilds() {
  const cache = await caches.open(CACHE);
  const kept = new Set([DOCUMENT, ...ASSETS]);
  const cached = await cache.keys();
  await Promise.all(
    cached.filter(({ url }) => !kept.has(new URL(url).pathname)).map((request) => cache.delete(request)),
  );
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate' && PAGES.test(pathname)) event.respondWith(documentOf(request));
  else if (pathname.startsWith('/assets/')) event.respondWith(assetOf(request));
});

/** Network first: the document of a new build, before that build is cached. */
const documentOf = (request) =>
  fetch(request).catch(async (error) => {
    const cached = await caches.match(DOCUMENT, { cacheName: CACHE });
    if (cached) return cached;
    throw error;
  });

/** Cache first: assets are named by their content and never change. */
async function assetOf(request) {
  const cache = await caches.open(CACHE);
  const cached = await cache.match(request);
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** Every push shows something: under its tag a message replaces the one before it, so a repeat is not shown twice. */
self.addEventListener('push', (event) => {
  const payload = payloadOf(event.data);
  if (payload) event.waitUntil(show(payload));
});

function payloadOf(data) {
  try {
    return data?.json();
  } catch {
    return undefined;
  }
}

const ACTIONS = { allow: 'Allow', deny: 'Deny' };

/** Tags of notifications that were pressed to decide. A look at them may take away what they say became of the press. */
const pressed = new Set();

async function show({ event, tag, title, body, path, urgent, actions = [], ask }) {
  const isEnd = event === 'ask.ended';
  const isPressed = isEnd && pressed.delete(tag);
  // Only where it matters: Chromium forgets what is just appearing when it is asked what is shown.
  const shown = isEnd && !isPressed ? await self.registration.getNotifications({ tag }) : [];
  // The person has dismissed it, or reads the page: browsers want something shown, and nobody needs it.
  const isWanted = !isEnd || isPressed || shown.length > 0;
  await self.registration.showNotification(title, {
    body,
    tag,
    icon: '/icon-192.png',
    badge: '/icon-192.png',
    silent: isEnd,
    renotify: event === 'ask.escalated',
    requireInteraction: urgent === true && !isEnd,
    actions: actions.map((action) => ({ action, title: ACTIONS[action] })),
    data: { address: path, ask, actions },
  });
  if (isWanted) return;
  for (const notification of await self.registration.getNotifications({ tag })) notification.close();
}

self.addEventListener('notificationclick', (event) => {
  const { action, notification } = event;
  notification.close();
  const { address = '/', ask, actions = [] } = notification.data ?? {};
  const isDecision = ask && actions.includes(action);
  if (isDecision) pressed.add(notification.tag);
  event.waitUntil(isDecision ? decide(action, notification) : open(address));
});

/** Only pages of our own, whatever a message says. */
function ownPage(address) {
  const { origin, pathname } = new URL(address, self.location.origin);
  return origin === self.location.origin ? pathname : '/';
}

async function open(given) {
  const address = ownPage(given);
  const [window] = await self.clients.matchAll({ type: 'window' });
  if (!window) return self.clients.openWindow(address);
  window.postMessage({ open: address });
  return window.focus();
}

/**
 * Decides as the person who is signed in here, about exactly what the notification showed: the ask is read first, and one
 * that has ended or changed is left alone. The key makes two presses one. Whatever happens, the person is told; where the
 * reply to a decision is lost, that it is not known whether it counted.
 */
async function decide(behavior, { tag, data: { address, ask } }) {
  const say = (title, body) =>
    self.registration.showNotification(title, { body, tag, icon: '/icon-192.png', silent: true, data: { address } });
  let isSent = false;
  try {
    const found = await fetch(`/v1/asks/${encodeURIComponent(ask.ask_id)}`);
    if (found.status === 401) return say('Not decided', 'This browser is not signed in any more. Open it to sign in.');
    const current = await found.json();
    if (!found.ok) return say('Not decided', current.detail ?? 'The request is not there any more.');
    if (current.status !== 'pending')
      return say(endTitle(current.answer), 'It was decided before; your press changed nothing.');
    if (current.request.digest !== ask.digest)
      return say('Not decided', 'The request has changed since. Open it to see what it asks now.');
    const csrf = await csrfOf();
    isSent = true;
    const response = await fetch(`/v1/runs/${encodeURIComponent(ask.run_id)}/approvals`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'holdpoint-csrf': csrf,
        'idempotency-key': `notification-${ask.ask_id}-${behavior}`,
      },
      body: JSON.stringify({ resolutions: [{ request_id: ask.ask_id, behavior }] }),
    });
    if (response.ok) return say(behavior === 'allow' ? 'Allowed by you' : 'Denied by you', 'The agent is told.');
    const { winner, detail } = await response.json();
    if (winner) return say(endTitle(winner), 'It was decided before; your press changed nothing.');
    return say('Not decided', detail ?? 'The server refused it. Open the request.');
  } catch {
    if (isSent) return say('No reply', 'The server did not reply. Open the request to see whether your press counted.');
    return say('Not decided', 'The server could not be reached; nothing was decided. Open the request to try again.');
  }
}

function endTitle({ answered_by: by, behavior, outcome }) {
  const verb = (outcome === 'answered' && { allow: 'Allowed', deny: 'Denied' }[behavior]) || outcome;
  return by === 'system' ? `It was ${outcome}` : `${verb[0].toUpperCase()}${verb.slice(1)} by ${by}`;
}

/** The page keeps it here: a service worker cannot read the cookie everywhere. */
async function csrfOf() {
  const kept = await (await caches.open('holdpoint-sign-in')).match('/csrf');
  return (await kept?.text()) ?? '';
}
