// The worker of the page in the browser: registered once, where the browser allows it. The page works without.

interface Policies {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

const WORKER = '/sw.js';

/** The content policy lets a script be named only through this policy, and this names one. */
function workerAddress(): string {
  const { trustedTypes } = window as { trustedTypes?: Policies };
  const policy = trustedTypes?.createPolicy('holdpoint', { createScriptURL: () => WORKER });
  return policy?.createScriptURL(WORKER) ?? WORKER;
}

export function install(onOpen: (address: string) => void): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ open?: unknown }>) => {
    if (typeof data?.open === 'string') onOpen(data.open);
  });
  // Over TLS with a certificate of one's own browsers refuse it: then there is none.
  navigator.serviceWorker.register(workerAddress()).catch(() => {});
}
