// Serves the OpenAPI 3.1 document at /openapi.json, and a page to browse it at /docs. The page loads nothing from elsewhere
// and runs no script but its own. What the document says is in openapi/.
import { randomBytes } from 'node:crypto';
import scalar from '@scalar/fastify-api-reference';
import { openApiDocument } from './openapi/document.ts';
import type { App, Operation } from './routes/route.ts';

/** Call it before any route is added: it collects what they declare. */
export function describeApi(app: App, version: string): () => string {
  const operations: Operation[] = [];
  app.addHook('onRoute', ({ config }) => {
    if (config?.described) operations.push(config.described);
  });
  let text: string | undefined;
  return () => {
    text ??= JSON.stringify(openApiDocument(operations, version));
    return text;
  };
}

export async function showApi(app: App, document: () => string): Promise<void> {
  app.get('/openapi.json', { config: { scopes: 'open' } }, (_request, reply) =>
    reply.type('application/json').send(document()),
  );
  // In a scope of its own: no other response passes its hook.
  await app.register(async (docs) => {
    docs.addHook('onSend', (request, reply, payload, done) => {
      if (request.routeOptions.url !== '/docs/' || typeof payload !== 'string') return done(null, payload);
      const nonce = randomBytes(16).toString('base64');
      reply.headers({ 'content-security-policy': policyWith(nonce), 'x-frame-options': 'DENY' });
      const page = payload.replaceAll('<script', `<script nonce="${nonce}"`);
      done(null, page.replace('<head>', '<head><link rel="icon" href="/favicon.svg" />'));
    });
    await docs.register(scalar, { routePrefix: '/docs', configuration: REFERENCE });
  });
}

const REFERENCE = {
  url: '/openapi.json',
  pageTitle: 'Holdpoint API',
  withDefaultFonts: false,
  // What would call other hosts, or is for who develops the reference itself.
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
} as const;

/** Scripts that this response names, and no others. The reference writes its styles as it goes, so those may be inline. */
const policyWith = (nonce: string): string =>
  [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src 'unsafe-inline'`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
