// Generates one OpenAPI 3.1 document from the schemas that validate, at /openapi.json; browsable at /docs. Each
// operation names the scopes that may call it, as the route declares them. The page loads nothing from elsewhere and
// runs no script but its own.
import { randomBytes } from 'node:crypto';
import swagger from '@fastify/swagger';
import scalar from '@scalar/fastify-api-reference';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import type { App } from './routes/route.ts';

export async function describeApi(app: App, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Holdpoint',
        version,
        description: 'One durable inbox for every question and approval that any coding agent raises.',
      },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          browser: {
            type: 'apiKey',
            in: 'cookie',
            name: 'holdpoint_session',
            description:
              'Set by signing in. Every request other than GET also needs the Origin of this server and the header Holdpoint-CSRF.',
          },
        },
      },
    },
    transform: (input) => {
      const { schema, url } = jsonSchemaTransform(input);
      const scopes = input.route.config?.scopes;
      const open = scopes === undefined || scopes === 'open' || scopes === 'page';
      const access = {
        security: open ? [] : [{ bearer: [] }, { browser: [] }],
        'x-holdpoint-scopes': open ? [] : scopes,
      };
      return { schema: { ...schema, ...access }, url };
    },
  });
}

export async function showApi(app: App): Promise<void> {
  app.get('/openapi.json', { config: { scopes: 'open' }, schema: { hide: true } }, () => app.swagger());
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
