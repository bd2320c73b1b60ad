// Builds the OpenAPI 3.1 document from the declarations of the routes: nothing about an operation is written elsewhere.
import { z } from 'zod';
import type { Operation, TypedReply } from '../routes/route.ts';
import { HEADERS, headerReference, Parameters } from './headers.ts';
import { codesOf, Problem, Refusals } from './refusals.ts';
import { describeSchemas, type Json } from './schemas.ts';

const TAGS: Record<string, string> = {
  sessions: 'Lines of work, each with one agent in one folder',
  runs: 'Stretches of work in a session, from an input to its end',
  asks: 'The inbox and the history: approvals and question sets',
  questions: 'Question sets that wait for an answer',
  approvals: 'Tool calls that wait for a decision',
  agents: "The agent's side: raises asks, reports output, acknowledges answers",
  events: 'The log: pages, or a live stream',
  mailbox: 'Messages between a session and its parent',
  threads: 'Sessions as chats',
  workers: 'Programs that host agents and claim their runs',
  tokens: 'Who may call, and signing in',
  audit: 'The keys that sign the log',
  grants: 'What people allowed in advance',
  rules: 'What is decided without asking',
  drafts: 'Answers that are typed and not sent',
  insights: 'How long answers take',
  skills: 'Folders of instructions for agents',
  system: 'Health and metrics',
};

const BROWSER =
  'Set by signing in. Every request other than GET also needs the Origin of this server and the header Holdpoint-CSRF.';

export function openApiDocument(operations: readonly Operation[], version: string): Json {
  const schemas = describeSchemas(
    operations.flatMap(({ query, body, form }) => [query, body, form].filter((s) => s !== undefined)),
    [Problem, ...operations.flatMap((operation) => Object.values(contentOf(operation.reply)))],
  );
  const paths: Record<string, Json> = {};
  const refusals = new Refusals();
  const parameters = new Parameters();
  const { components, ...inline } = renamedProblem(schemas);
  for (const operation of operations) {
    const path = operation.url.replace(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describe(operation, { ...inline, refusals, parameters }),
    };
  }
  const used = new Set(operations.map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdpoint',
      version,
      description:
        'One durable inbox for every question and approval that any coding agent raises. Every reply has a header `X-Request-Id` that names the request in the log of the server.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/', description: 'The server that serves this document' }],
    security: [{ bearer: [] }, { browser: [] }],
    tags: [...used].map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token, or the identity of a run' },
        browser: { type: 'apiKey', in: 'cookie', name: 'holdpoint_session', description: BROWSER },
      },
      parameters: parameters.components,
      headers: HEADERS,
      responses: refusals.components,
      schemas: components,
    },
  };
}

type Schemas = ReturnType<typeof describeSchemas>;
type Parts = Omit<Schemas, 'components'> & { refusals: Refusals; parameters: Parameters };

/** The problem document is no export of core: it gets its name here. */
function renamedProblem({ components, ...schemas }: Schemas): Schemas {
  return { ...schemas, components: { ...components, Problem: schemas.reply(Problem) } };
}

function describe(operation: Operation, parts: Parts): Json {
  const { name, summary, description, tag, scopes, body, form, examples, reads = [] } = operation;
  const isOpen = scopes === undefined || scopes === 'open' || scopes === 'page';
  const bodySchema = body && parts.request(body);
  const takesKey = operation.isKeyed || takesKeyInBody(body);
  const ids = [...operation.url.matchAll(/:(\w+)/g)].map(([, id = '']) => parts.parameters.id(id));
  const headers = [...(takesKey ? (['Idempotency-Key'] as const) : []), ...reads];
  const codes = [...codesOf(operation, takesKey)];
  const given = [...ids, ...queryParameters(operation.query, parts), ...headers.map((h) => parts.parameters.header(h))];
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(isOpen && { security: [] }),
    'x-holdpoint-scopes': isOpen ? [] : scopes,
    ...(given.length > 0 && { parameters: given }),
    ...(bodySchema && {
      requestBody: {
        required: !body?.safeParse({}).success,
        content: { 'application/json': { schema: bodySchema, ...(examples && { examples: named(examples) }) } },
      },
    }),
    ...(form && {
      requestBody: { required: true, content: { 'multipart/form-data': { schema: parts.request(form) } } },
    }),
    responses: {
      ...successes(operation, parts),
      ...Object.fromEntries(codes.map(([status, some]) => [status, parts.refusals.of(status, some, name)])),
    },
  };
}

const named = (examples: Record<string, unknown>): Json =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));

const takesKeyInBody = (body: z.ZodType | undefined): boolean => {
  const [first] = body instanceof z.ZodDiscriminatedUnion ? body.options : [body];
  return first instanceof z.ZodObject && 'idempotency_key' in first.shape;
};

function queryParameters(query: z.ZodType | undefined, parts: Parts): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = parts.request(query) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) =>
    parts.parameters.query(name, {
      ...(required.includes(name) && { required: true }),
      ...(description !== undefined && { description }),
      schema,
    }),
  );
}

const MEANING: Record<number, string> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted',
  204: 'Done; there is nothing to say',
};

function successes(operation: Operation, parts: Parts): Json {
  const { reply, status = 200, creates, emptyReplies = {} } = operation;
  const content = Object.entries(contentOf(reply)).map(([type, schema]) => [type, { schema: parts.reply(schema) }]);
  const sent = responseHeaders(operation);
  const headers = Object.keys(sent).length > 0 ? { headers: sent } : {};
  const response = (code: number, description = MEANING[code] ?? 'Done') => ({
    description: 'description' in reply && reply.description ? reply.description : description,
    ...headers,
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
  });
  return {
    [status]: response(status, creates ? 'It was there already' : undefined),
    ...(creates && { 201: response(201) }),
    ...Object.fromEntries(
      Object.entries(emptyReplies).map(([code, description]) => [code, { description, ...headers }]),
    ),
  };
}

function responseHeaders({ query, sends = [] }: Operation): Json {
  const fields = Object.keys((query as z.ZodObject | undefined)?.shape ?? {});
  const paged = fields.includes('cursor') ? (['Link', 'Holdpoint-Cursor'] as const) : [];
  const continued = fields.includes('after') ? (['Link'] as const) : [];
  return Object.fromEntries([...paged, ...continued, ...sends].map((name) => [name, headerReference(name)]));
}

/** The schema of each media type; none where a reply has no body. */
function contentOf(reply: z.ZodType | TypedReply): Record<string, z.ZodType> {
  if (reply instanceof z.ZodVoid) return {};
  if (reply instanceof z.ZodType) return { 'application/json': reply };
  return Object.fromEntries(Object.entries(reply.content).map(([type, { schema }]) => [type, schema]));
}
