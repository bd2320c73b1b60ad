// Generates the four clients from an OpenAPI document: `node generate.mjs <document> <folder>`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { generate } from 'orval';

const [document, folder] = process.argv.slice(2);

await createClient({
  input: document,
  output: { path: join(folder, 'hey-api'), module: { extension: '.js' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent' },
});
const orval = (name, httpClient) =>
  generate({
    input: document,
    output: {
      target: join(folder, name, 'client.ts'),
      client: httpClient,
      mode: 'single',
      override: { enumGenerationType: 'union' },
    },
  });
await orval('orval-fetch', 'fetch');
await orval('orval-axios', 'axios-functions');
const ast = await openapiTypescript(new URL(`file://${document}`));
writeFileSync(join(folder, 'openapi-fetch.ts'), astToString(ast));
