// One OpenAPI 3.1 document, generated from the schemas that validate, at /openapi.json; browsable at /docs.
// Each operation names the scopes that may call it, as the route declares them.
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
            description: 'From signing in. Whatever is no GET also needs our Origin and the header Holdpoint-CSRF.',
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
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: { url: '/openapi.json', withDefaultFonts: false, telemetry: false },
  });
}
