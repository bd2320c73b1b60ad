// The page's service worker. Caches the document and its assets, so that the page opens while the server is away, and
// handles clicks on notifications. API responses are never cached: stale asks are not shown.
const CACHE = 'holdpoint-page';
const DOCUMENT = '/';
const PAGES = /^\/(?:$|(?:sign-in|asks|sessions|history|insights|rules|settings)(?:\/|$))/;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.add(DOCUMENT))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate' && PAGES.test(pathname)) event.respondWith(documentOf(request));
  else if (pathname.startsWith('/assets/')) event.respondWith(assetOf(request));
});

/** Network first. A changed document clears the cache, because it refers to other assets. */
async function documentOf(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (!response.ok) return response;
    const [fresh, cached] = await Promise.all([response.clone().text(), cache.match(DOCUMENT).then((r) => r?.text())]);
    if (fresh !== cached) {
      await caches.delete(CACHE);
      await (await caches.open(CACHE)).put(DOCUMENT, response.clone());
    }
    return response;
  } catch (error) {
    const cached = await cache.match(DOCUMENT);
    if (cached) return cached;
    throw error;
  }
}

/** Cache first: assets are named by their content and never change. */
async function assetOf(request) {
  const cache = await caches.open(CACHE);
  const cached = await cache.match(request);
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** Opens the ask in an open window, or in a new one. Decides nothing. */
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const address = event.notification.data?.address ?? '/';
  event.waitUntil(
    self.clients.matchAll({ type: 'window' }).then(async ([open]) => {
      if (!open) return self.clients.openWindow(address);
      open.postMessage({ open: address });
      return open.focus();
    }),
  );
});
