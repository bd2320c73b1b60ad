// Registers the page's service worker (public/sw.js) where the browser allows it. The page works without one.

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

const SCRIPT = '/sw.js';

/** The content policy accepts script URLs only from this trusted types policy, which allows exactly one. */
function scriptUrl(): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('holdpoint', { createScriptURL: () => SCRIPT });
  return policy?.createScriptURL(SCRIPT) ?? SCRIPT;
}

/** `onOpen` is called with the address of a notification that was clicked. */
export function registerServiceWorker(onOpen: (address: string) => void): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ open?: unknown }>) => {
    if (typeof data?.open === 'string') onOpen(data.open);
  });
  // Browsers refuse a service worker behind a self-signed certificate.
  navigator.serviceWorker.register(scriptUrl()).catch(() => {});
}
