// Turns zod schemas into JSON Schema with named components: a schema that core exports is a component under its own name,
// everything else is written where it is used. Requests refuse unknown fields; replies are open, so that a client
// generated from this document accepts the fields of a later version.
import { z } from 'zod';
import * as activity from '../../core/activity.ts';
import * as agentDescription from '../../core/agent-description.ts';
import * as answer from '../../core/answer.ts';
import * as bodies from '../../core/bodies.ts';
import * as draft from '../../core/draft.ts';
import * as form from '../../core/form.ts';
import * as formAnswer from '../../core/form-answer.ts';
import * as grant from '../../core/grant.ts';
import * as insight from '../../core/insight.ts';
import * as noticeViews from '../../core/notice-views.ts';
import * as question from '../../core/question.ts';
import * as quietHours from '../../core/quiet-hours.ts';
import * as risk from '../../core/risk.ts';
import * as rule from '../../core/rule.ts';
import * as ruleViews from '../../core/rule-views.ts';
import * as skill from '../../core/skill.ts';
import * as toolRules from '../../core/tool-rules.ts';
import * as views from '../../core/views.ts';
import * as winner from '../../core/winner.ts';

export type Json = Record<string, unknown>;
type Direction = 'input' | 'output';

/** Their exports are the components. A later module does not rename what an earlier one exports. */
const MODULES = [
  views,
  bodies,
  question,
  answer,
  grant,
  rule,
  ruleViews,
  skill,
  insight,
  winner,
  form,
  formAnswer,
  draft,
  toolRules,
  agentDescription,
  activity,
  noticeViews,
  quietHours,
  risk,
];

/** Names that mean something else in the languages of clients. */
const OTHER_NAMES: Record<string, string> = {
  EventView: 'LogEvent',
  RecordView: 'StoredRecord',
  Option: 'QuestionOption',
};

const COMPONENTS = '#/components/schemas/';
/** Begins the id of a schema that is no component. */
const INLINE = '-';

/** Writes the schemas of requests and replies, then says which components they refer to. */
export function describeSchemas(
  requests: readonly z.ZodType[],
  replies: readonly z.ZodType[],
): {
  request(schema: z.ZodType): Json;
  reply(schema: z.ZodType): Json;
  components: Json;
} {
  const input = written(requests, 'input');
  const output = written(replies, 'output');
  // The same name on both sides is one component if it is the same schema.
  const isOther = (name: string) =>
    name in input.components &&
    name in output.components &&
    JSON.stringify(input.components[name]) !== JSON.stringify(output.components[name]);
  const renamed = <T>(json: T): T =>
    JSON.parse(
      JSON.stringify(json, (key, value) =>
        key === '$ref' && isOther(value.slice(COMPONENTS.length)) ? `${value}Input` : value,
      ),
    );
  const inputComponents = Object.entries(input.components).map(([name, schema]) => [
    isOther(name) ? `${name}Input` : name,
    renamed(schema),
  ]);
  const all = { ...Object.fromEntries(inputComponents), ...output.components };
  return {
    request: (schema) => renamed(input.of(schema)),
    reply: output.of,
    components: Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function written(used: readonly z.ZodType[], io: Direction): { of(schema: z.ZodType): Json; components: Json } {
  const registry = z.registry<{ id: string }>();
  const taken = new Set<string>();
  for (const exported of MODULES)
    for (const [name, schema] of Object.entries(exported))
      if (schema instanceof z.ZodType && !registry.has(schema))
        registry.add(schema, { id: freeName(OTHER_NAMES[name] ?? name.replace(/View$/, ''), name, taken) });
  used.forEach((schema, i) => {
    if (!registry.has(schema)) registry.add(schema, { id: `${INLINE}${i}` });
  });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: (id) => `${COMPONENTS}${id}`,
    unrepresentable: 'any',
    override: (context) => refine(context as Refined, io, registry),
  });
  const plain = JSON.parse(JSON.stringify(schemas)) as Record<string, Json>;
  for (const schema of Object.values(plain)) for (const key of ['$schema', '$id', 'id']) delete schema[key];
  const idOf = (schema: z.ZodType): string => registry.get(schema)?.id ?? '';
  const of = (schema: z.ZodType): Json => {
    const id = idOf(schema);
    return id.startsWith(INLINE) ? (plain[id] ?? {}) : { $ref: `${COMPONENTS}${id}` };
  };
  return { of, components: reachable(used.map(of), plain) };
}

/** A request and a reply may be called the same. */
function freeName(wanted: string, exported: string, taken: Set<string>): string {
  const name = [wanted, exported, `${wanted}Input`].find((one) => !taken.has(one)) ?? exported;
  taken.add(name);
  return name;
}

/** The components that the roots refer to, directly or not. */
function reachable(roots: readonly Json[], all: Record<string, Json>): Json {
  const found: Json = {};
  const visit = (json: Json): void => {
    for (const [, name = ''] of JSON.stringify(json).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      const schema = all[name];
      if (!schema || name in found) continue;
      found[name] = schema;
      visit(schema);
    }
  };
  for (const root of roots) visit(root);
  return found;
}

interface Refined {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: Json;
}

function refine({ zodSchema, jsonSchema }: Refined, io: Direction, registry: z.core.$ZodRegistry<{ id: string }>) {
  const { def } = zodSchema._zod;
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.type === 'integer') boundInteger(jsonSchema);
  // All keys are strings, and not every reader of patterns knows classes of Unicode.
  if (def.type === 'record') delete jsonSchema.propertyNames;
  if (String(jsonSchema.pattern).includes('\\p{')) delete jsonSchema.pattern;
  if (def.type === 'union' && 'discriminator' in def) {
    const propertyName = String(def.discriminator);
    jsonSchema.oneOf ??= jsonSchema.anyOf;
    delete jsonSchema.anyOf;
    jsonSchema.discriminator = {
      propertyName,
      mapping: Object.fromEntries(
        def.options.flatMap((option) => {
          const id = registry.get(option)?.id;
          return [...(option._zod.propValues?.[propertyName] ?? [])].map((value) => [value, `${COMPONENTS}${id}`]);
        }),
      ),
    };
  }
}

/** The limits of a JavaScript number say nothing about the field. */
function boundInteger(schema: Json): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === undefined) schema.format = 'int64';
}
