// The page's own worker in the browser. Keeps the page itself (its document and files), so that it opens while the server
// is away, and shows notifications. Answers of the API are never kept: what is not live is not shown.
const SHELL = 'holdpoint-page';
const DOCUMENT = '/';
const ADDRESSES = /^\/(?:$|(?:sign-in|asks|sessions|history|insights)(?:\/|$))/;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(SHELL)
      .then((cache) => cache.add(DOCUMENT))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate' && ADDRESSES.test(pathname)) event.respondWith(documentOf(request));
  else if (pathname.startsWith('/assets/')) event.respondWith(assetOf(request));
});

/** The server's, while it is there. A new one makes the files of the old one useless. */
async function documentOf(request) {
  const cache = await caches.open(SHELL);
  try {
    const response = await fetch(request);
    if (!response.ok) return response;
    const [fresh, kept] = await Promise.all([response.clone().text(), cache.match(DOCUMENT).then((r) => r?.text())]);
    if (fresh !== kept) {
      await caches.delete(SHELL);
      await (await caches.open(SHELL)).put(DOCUMENT, response.clone());
    }
    return response;
  } catch (error) {
    const kept = await cache.match(DOCUMENT);
    if (kept) return kept;
    throw error;
  }
}

/** Named by their content: what is kept under a name is right for ever. */
async function assetOf(request) {
  const cache = await caches.open(SHELL);
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** Opens the ask, in a window that is there if there is one. Decides nothing. */
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
