// Holds a reply against what the OpenAPI document says about its route: the status must be documented, the media type
// must be the documented one, the body must fit the documented schema without further fields, headers of ours must be
// documented, and a refusal must be a problem document with a documented code that says something and gives nothing away.
import { expect } from 'vitest';
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../src/core/errors.ts';
import type { Problem } from '../../src/server/problem.ts';
import { closed, dereferenced, type JsonSchema } from './openapi.ts';
import type { Reply } from './server.ts';

export interface Operation {
  operationId: string;
  summary?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  'x-holdpoint-scopes'?: string[];
  parameters?: { in: string; name: string; required?: boolean; schema: JsonSchema }[];
  requestBody?: {
    required?: boolean;
    content: Record<string, { schema: JsonSchema; examples?: Record<string, { value: unknown }> }>;
  };
  responses: Record<string, Response>;
}

interface Response {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: JsonSchema }>;
}

export interface OpenApi {
  openapi: string;
  info: Record<string, unknown>;
  components: Record<string, unknown>;
  paths: Record<string, Record<string, Operation>>;
}

interface Route {
  method: string;
  template: string;
  pattern: RegExp;
  operation: Operation;
}

/** What must never leave the process: stack traces, file names, SQL and what the driver says about it. */
const LEAK =
  /node_modules|\.ts:\d|\n\s+at |\b(?:SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM|PRAGMA|SAVEPOINT)\b|SQLITE|constraint failed|TypeError|ReferenceError|undefined is not/;

const OURS = /^(?:link|etag|retry-after|www-authenticate|holdpoint-.*)$/;

export class Contract {
  readonly document: OpenApi;
  readonly #routes: Route[];
  readonly #schemas = new Map<string, z.ZodType>();

  constructor(document: OpenApi) {
    this.document = dereferenced(document);
    this.#routes = Object.entries(this.document.paths).flatMap(([template, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        method: method.toUpperCase(),
        template,
        pattern: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
        operation,
      })),
    );
  }

  check(method: string, path: string, reply: Reply<unknown>): void {
    const pathname = path.split('?')[0] ?? path;
    const where = `${method} ${pathname} → ${reply.status}`;
    if (reply.status >= 400) checkProblem(where, reply);
    const route = this.#routes.find((r) => r.method === method && r.pattern.test(pathname));
    if (!route) {
      expect(reply.status, `${where}: a route without documentation`).toBeGreaterThanOrEqual(400);
      return;
    }
    const { responses } = route.operation;
    const documented = responses[String(reply.status)];
    if (reply.status >= 400) {
      checkCode(where, route, documented ?? responses.default, reply.body as Problem);
      return;
    }
    expect(documented, `${where} is not documented`).toBeDefined();
    const headers = Object.keys(documented?.headers ?? {}).map((name) => name.toLowerCase());
    const undocumented = Object.keys(reply.headers).filter((name) => OURS.test(name) && !headers.includes(name));
    expect(undocumented, `${where}: undocumented headers`).toEqual([]);
    if (!documented?.content) return;
    const type = String(reply.headers['content-type'] ?? '').split(';')[0] ?? '';
    expect(Object.keys(documented.content), `${where}: media type`).toContain(type);
    const schema = documented.content[type]?.schema;
    if (!schema || type === 'application/zip') return;
    const result = this.#schema(`${route.method} ${route.template} ${reply.status}`, schema).safeParse(reply.body);
    if (!result.success)
      expect.fail(`${where} does not fit its documented schema: ${z.prettifyError(result.error)}\n${reply.text}`);
  }

  #schema(name: string, source: JsonSchema): z.ZodType {
    let known = this.#schemas.get(name);
    if (!known) {
      known = z.fromJSONSchema(closed(source));
      this.#schemas.set(name, known);
    }
    return known;
  }
}

function checkCode(where: string, { operation }: Route, documented: Response | undefined, { code }: Problem): void {
  const { allOf } = (documented?.content?.['application/problem+json']?.schema ?? {}) as {
    allOf?: { properties?: { code?: { enum?: string[] } } }[];
  };
  const codes = allOf?.flatMap(({ properties }) => properties?.code?.enum ?? []) ?? [];
  expect(codes, `${where}: add the code to \`refuses\` of ${operation.operationId}`).toContain(code);
}

function checkProblem(where: string, reply: Reply<unknown>): void {
  expect(reply.headers['content-type'], where).toMatch(/^application\/problem\+json/);
  const problem = reply.body as Problem;
  const known = ERRORS[problem.code as ErrorCode];
  expect(known, `${where}: code ${problem.code}`).toBeDefined();
  expect(problem, where).toMatchObject({
    type: `urn:holdpoint:problem:${problem.code}`,
    title: known[1],
    status: reply.status,
    domain: known[0],
  });
  for (const text of [problem.title, problem.detail])
    expect(text, `${where}: a sentence`).toMatch(/^["'`\p{L}](?:.|\n)* (?:.|\n)*\S$/u);
  expect(reply.text, `${where} gives something away`).not.toMatch(LEAK);
  expect(problem.code, `${where}: ${reply.text}`).not.toBe('internal');
}
