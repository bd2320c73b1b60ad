// Lists, publishes, overwrites, serves and removes skills. The first three are the only routes that take a skill
// identity. Zips are sent as multipart, which no other route accepts: the parser is registered in here alone.
import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { fail, HoldpointError } from '../../core/errors.ts';
import { ARCHIVE_BYTES, DEFAULT_NAMESPACE, SKILL_NAME, SkillList, SkillView } from '../../core/skill.ts';
import type { Scope } from '../../core/token.ts';
import { readSkill } from '../../skills/archive.ts';
import { ANSWERERS, EVERY_READER } from '../auth.ts';
import { digits } from '../request.ts';
import { type AddRoutes, type App, routesOn } from './route.ts';

const PUBLISHERS: readonly Scope[] = ['operator', 'skill_identity'];
const READERS: readonly Scope[] = [...EVERY_READER, 'skill_identity'];

/** Bytes: described, and read by their own parser. */
const zip = z.any().meta({ type: 'string', format: 'binary' });

const SkillQuery = z.strictObject({
  name: z.string().max(128).optional().describe('Only those whose name has this text'),
  namespace: z.string().max(128).optional().describe('"default" by default'),
  exact_match: z
    .string()
    .regex(/^(?:true|false)$/i, 'must be true or false')
    .optional()
    .meta({ type: 'boolean', pattern: undefined, description: 'Whether `name` is the whole name' }),
  task_id: z.string().max(200).optional().describe('Accepted and not used: every task sees the same skills'),
  skip: digits('How many to leave out'),
  limit: digits('1 to 100; 100 by default', { minimum: 1, maximum: 100 }),
});

export const addSkills: AddRoutes = (context) => {
  context.app.register(async (own) => {
    await own.register(multipart, {
      limits: { fileSize: ARCHIVE_BYTES, files: 1, fields: 4, fieldSize: 1024, parts: 5 },
    });
    addTo({ ...context, route: routesOn(own as unknown as App, context.gateway.hash) });
  });
};

const addTo: AddRoutes = ({ route, gateway }) => {
  route('skills', 'GET /api/v1/kinds/skills', {
    name: 'listSkills',
    summary: 'List skills',
    description: 'Of one namespace. `exact_match=true` finds the one whose name is `name`.',
    scopes: READERS,
    query: SkillQuery,
    reply: SkillList,
    async handle({ query }) {
      const { name, namespace = DEFAULT_NAMESPACE, exact_match, skip = '0', limit = '100' } = query;
      if (Number(limit) < 1 || Number(limit) > 100)
        throw fail('invalid_request', `query.limit: must be from 1 to 100, not ${limit}.`);
      const isExact = exact_match?.toLowerCase() === 'true' && name !== undefined;
      const items = await gateway.listSkills({ name, namespace, isExact, skip: Number(skip), limit: Number(limit) });
      return { items };
    },
  });

  route('skills', 'POST /api/v1/kinds/skills/upload', {
    name: 'uploadSkill',
    summary: 'Publish a skill',
    description: 'From then on, runs that ask for it get it in their workspace.',
    scopes: PUBLISHERS,
    form: z.object({
      file: zip,
      name: z.string().optional().describe('The name of the zip and of its folder'),
      namespace: z.string().optional().describe('"default" by default'),
    }),
    refuses: ['invalid_skill', 'skill_exists', 'skill_too_large', 'skills_limit'],
    reply: SkillView,
    status: 201,
    async change({ request, actor }) {
      const { fields, content } = await uploadOf(request);
      const { name = content.folder, namespace = DEFAULT_NAMESPACE, ...others } = fields;
      refuseFields(others);
      for (const [field, value] of Object.entries({ name, namespace }))
        if (!SKILL_NAME.test(value))
          throw fail('invalid_request', `${field}: use 1 to 64 letters, digits, dots, dashes or underscores.`);
      return gateway.publishSkill({ name, namespace, content, actor });
    },
  });

  route('skills', 'PUT /api/v1/kinds/skills/:skill_id', {
    name: 'replaceSkill',
    summary: 'Overwrite a skill',
    description: 'The zip has the same name; name and namespace stay.',
    scopes: PUBLISHERS,
    form: z.object({ file: zip }),
    refuses: ['invalid_skill', 'skill_too_large'],
    reply: SkillView,
    async change({ request, actor, params }) {
      const { fields, content } = await uploadOf(request);
      refuseFields(fields);
      return gateway.replaceSkill({ skillId: params.skill_id, content, actor });
    },
  });

  route('skills', 'GET /api/v1/kinds/skills/:skill_id/download', {
    name: 'downloadSkill',
    summary: "A skill's zip",
    description: '304 when `If-None-Match` has its ETag.',
    scopes: EVERY_READER,
    reply: { description: 'The zip', content: { 'application/zip': { schema: zip } } },
    emptyReplies: { 304: 'It still has this ETag' },
    reads: ['If-None-Match'],
    sends: ['ETag'],
    async handle({ request, reply, params }) {
      const { skill, archive } = await gateway.skillArchive(params.skill_id);
      const etag = `"${skill.sha256}"`;
      reply.header('etag', etag);
      if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
      reply.header('content-disposition', `attachment; filename="${skill.name}.zip"`);
      return reply.type('application/zip').send(Buffer.from(archive, 'base64'));
    },
  });

  route('skills', 'DELETE /api/v1/kinds/skills/:skill_id', {
    name: 'deleteSkill',
    summary: 'Remove a skill',
    description: 'Workspaces that have it keep it until their run ends.',
    scopes: ANSWERERS,
    reply: SkillView,
    change: ({ params, actor }) => gateway.deleteSkill(params.skill_id, actor),
  });
};

function refuseFields(fields: Record<string, string>): void {
  const [unknown] = Object.keys(fields);
  if (unknown !== undefined) throw fail('invalid_request', `There is no field "${unknown}".`);
}

/** `If-None-Match` names one tag or several, weak or not, or any. */
const isKnown = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((tag) => [etag, `W/${etag}`, '*'].includes(tag.trim()));

/** The zip and the fields beside it, in whatever order they came. */
async function uploadOf(request: FastifyRequest) {
  if (!request.isMultipart())
    throw fail('unsupported_media_type', 'Send the zip as multipart/form-data, in a field named `file`.');
  const { fields, file } = await partsOf(request);
  if (!file) throw fail('invalid_request', 'There is no field `file` with a zip in it.');
  return { fields, content: await readSkill(file.name, file.bytes) };
}

async function partsOf(request: FastifyRequest) {
  const fields: Record<string, string> = {};
  let file: { name: string; bytes: Buffer } | undefined;
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') fields[part.fieldname] = String(part.value);
      else if (part.fieldname === 'file') file = { name: part.filename, bytes: await bytesOf(part) };
      else throw fail('invalid_request', `There is no field "${part.fieldname}"; the zip goes into \`file\`.`);
    }
  } catch (error) {
    if (error instanceof HoldpointError) throw error;
    throw fail('invalid_request', `The multipart body cannot be read: ${(error as Error).message}.`);
  }
  return { fields, file };
}

async function bytesOf(part: MultipartFile): Promise<Buffer> {
  try {
    return await part.toBuffer();
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode !== 413) throw error;
    throw fail('skill_too_large', `A skill's zip has at most ${ARCHIVE_BYTES} bytes.`);
  }
}
