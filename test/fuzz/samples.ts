// Bodies that a route accepts, made from its schema in the OpenAPI document, and every place in them that can be spoilt.
// Knows JSON Schema as far as our document uses it; knows nothing of any single route.
import type { Random } from '../support/seeded-random.ts';

export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  maxLength?: number;
  enum?: unknown[];
  const?: unknown;
  oneOf?: Schema[];
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

/** Values for fields whose meaning the schema cannot tell, by the field's name. */
export type Known = Record<string, unknown>;

/** One body for each variant of the schema, with all its fields where `whole`, else with the required ones only. */
export function samplesOf(schema: Schema, known: Known, whole: boolean): unknown[] {
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return variants.flatMap((variant) => samplesOf(variant, known, whole));
  return [sampleOf(schema, known, whole, '')];
}

function sampleOf(schema: Schema, known: Known, whole: boolean, name: string): unknown {
  if (name in known) return known[name];
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants?.[0]) return sampleOf(variants[0], known, whole, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return Array.from({ length: 1 }, () => sampleOf(schema.items ?? {}, known, whole, ''));
  if (schema.type === 'boolean') return false;
  if (schema.type === 'integer' || schema.type === 'number')
    return Math.min(Math.max(1000, schema.minimum ?? 0, (schema.exclusiveMinimum ?? 0) + 1), schema.maximum ?? 1e9);
  if (schema.type === 'object') return objectOf(schema, known, whole);
  if (schema.type !== 'string') return { any: [1, 'two', null] };
  return `sample-${name || 'text'}`.slice(0, schema.maxLength ?? 100);
}

function objectOf(schema: Schema, known: Known, whole: boolean): Record<string, unknown> {
  const { properties = {}, required = [] } = schema;
  if (Object.keys(properties).length === 0) return { any: { thing: 1 } };
  const names = Object.keys(properties).filter((name) => known[name] !== undefined || !(name in known));
  const wanted = whole ? names : names.filter((name) => required.includes(name) || known[name] !== undefined);
  return Object.fromEntries(wanted.map((name) => [name, sampleOf(properties[name] ?? {}, known, whole, name)]));
}

type Path = (string | number)[];

/** The paths to all values inside, the whole itself included. */
export function placesIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...at, key]))];
}

/** The paths to the objects that take no field but their own. */
export function strictPlaces(schema: Schema, sample: unknown, at: Path = []): Path[] {
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return variants.flatMap((variant) => (fits(variant, sample) ? strictPlaces(variant, sample, at) : []));
  if (Array.isArray(sample)) return sample.flatMap((item, i) => strictPlaces(schema.items ?? {}, item, [...at, i]));
  if (typeof sample !== 'object' || sample === null || !schema.properties) return [];
  const own = schema.additionalProperties === false ? [at] : [];
  const inner = Object.entries(sample).flatMap(([key, value]) =>
    strictPlaces(schema.properties?.[key] ?? {}, value, [...at, key]),
  );
  return [...own, ...inner];
}

function fits(schema: Schema, sample: unknown): boolean {
  const given = sample as Record<string, unknown>;
  return Object.entries(schema.properties ?? {}).every(
    ([name, { enum: allowed, const: only }]) =>
      (allowed === undefined || given[name] === undefined || allowed.includes(given[name])) &&
      (only === undefined || given[name] === only),
  );
}

/** The JSON text of the sample with this text in one place of it. */
export function withText(sample: unknown, at: Path, text: string): string {
  const hole = '@@hole@@';
  return JSON.stringify(edited(sample, at, () => hole)).replace(`"${hole}"`, () => text);
}

/** A copy in which one place is changed; `undefined` removes it. */
export function edited(sample: unknown, at: Path, change: (value: unknown) => unknown): unknown {
  const [key, ...rest] = at;
  if (key === undefined) return change(sample);
  const copy = Array.isArray(sample) ? [...sample] : { ...(sample as object) };
  const holder = copy as Record<string | number, unknown>;
  holder[key] = edited(holder[key], rest, change);
  if (holder[key] === undefined) delete holder[key];
  return copy;
}

/** The sample with one place spoilt: another value, no value, a field too many, an item twice. */
export function spoilt(sample: unknown, values: readonly string[], random: Random): string {
  const at = random.pick(placesIn(sample));
  const how = random.pick(['value', 'value', 'value', 'value', 'gone', 'more', 'wrapped', 'twice']);
  if (how === 'gone' && at.length > 0) return JSON.stringify(edited(sample, at, () => undefined));
  if (how === 'wrapped') return JSON.stringify(edited(sample, at, (value) => [value]));
  if (how === 'twice')
    return JSON.stringify(edited(sample, at, (value) => (Array.isArray(value) ? [...value, ...value] : value)));
  if (how === 'more')
    return JSON.stringify(edited(sample, at, (value) => ({ ...Object(value), [random.pick(ODD_KEYS)]: 1 })));
  return withText(sample, at, random.pick(values));
}

const ODD_KEYS = [
  'surprise',
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  '0',
  'Session_Id',
  'kind ',
  'x'.repeat(200),
];
