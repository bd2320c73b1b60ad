// Reads `null` as absent where a field of a body is optional and has no use for null, as many clients write it. Everything
// else is left for the schema to judge: a required field, and null inside of free-form JSON.
import { z } from 'zod';

export function withoutNulls(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return withoutNulls(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((entry) => withoutNulls(schema.element, entry));
  if (typeof value !== 'object' || value === null) return value;
  if (schema instanceof z.ZodDiscriminatedUnion) return withoutNulls(memberOf(schema, value), value);
  if (!(schema instanceof z.ZodObject) || Array.isArray(value)) return value;
  const { shape } = schema;
  const fields = Object.entries(value).filter(([name, given]) => given !== null || !isNullAbsent(shape[name]));
  return Object.fromEntries(fields.map(([name, given]) => [name, withoutNulls(shape[name], given)]));
}

const isNullAbsent = (field: unknown): boolean => field instanceof z.ZodOptional && !field.safeParse(null).success;

/** The member of a union that the value says it is. */
function memberOf({ def }: z.ZodDiscriminatedUnion, value: object): unknown {
  const kind = (value as Record<string, unknown>)[def.discriminator];
  return def.options.find(
    (option) => option instanceof z.ZodObject && option.shape[def.discriminator]?.safeParse(kind).success,
  );
}
