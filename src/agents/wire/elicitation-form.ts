// Translates the form of an MCP elicitation into a question set, and the answers into the form's content. Owns the part of
// JSON Schema that such forms may use, and validates what a question set cannot: numbers, lengths, formats. Pure.
import { z } from 'zod';
import type { Answered, GivenAnswer } from '../../client/outcome.ts';
import type { QuestionInput } from '../../core/question.ts';
import { storable, truncate } from '../../core/text-limit.ts';

const Titled = z.array(z.looseObject({ const: z.string(), title: z.string().optional() }));
const Field = z.looseObject({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  enum: z.array(z.string()).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: Titled.optional(),
  items: z.looseObject({ enum: z.array(z.string()).optional(), anyOf: Titled.optional() }).optional(),
  format: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
});
type Field = z.infer<typeof Field>;

const Form = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string().min(1).max(128), Field),
  required: z.array(z.string()).optional(),
});
export type Form = z.infer<typeof Form>;

/** Undefined if it is not a form that can be displayed. */
export function readForm(schema: unknown): Form | undefined {
  const read = Form.safeParse(schema);
  return read.success && Object.values(read.data.properties).every(isAskable) ? read.data : undefined;
}

const isAskable = (field: Field): boolean => field.type !== 'array' || choicesOf(field) !== undefined;

export function questionsOfForm(form: Form): QuestionInput[] {
  return Object.entries(form.properties).map(([id, field]): QuestionInput => {
    const choices = choicesOf(field);
    const options = choices?.map(({ value, label }, i) => ({ id: `option-${i + 1}`, label, value }));
    const preset = presetOf(field, options);
    return {
      id,
      header: truncate(storable(field.title ?? id), 200),
      question: field.description || field.title || id,
      required: form.required?.includes(id) ?? false,
      ...(options && { options, allow_other: false, multi_select: field.type === 'array' }),
      ...(!options && { placeholder: hintOf(field) }),
      ...(preset !== undefined && { default: preset }),
    };
  });
}

interface Choice {
  value: string;
  label: string;
}

function choicesOf(field: Field): Choice[] | undefined {
  if (field.type === 'boolean') return ['Yes', 'No'].map((label) => ({ label, value: String(label === 'Yes') }));
  const titled = field.oneOf ?? field.items?.anyOf;
  const plain = field.enum ?? field.items?.enum;
  const choices =
    titled?.map((t) => ({ value: t.const, label: t.title || t.const })) ??
    plain?.map((value, i) => ({ value, label: field.enumNames?.[i] || value }));
  if (!choices?.length) return undefined;
  const labels = new Set(choices.map(({ label }) => label.toLowerCase()));
  return labels.size === choices.length ? choices : choices.map(({ value }) => ({ value, label: value }));
}

/** The ids of the default options, or the default text. */
function presetOf(field: Field, options: { id: string; value: string }[] | undefined): string | string[] | undefined {
  if (field.default === undefined) return undefined;
  const wanted = [field.default].flat().map(String);
  if (!options) return wanted[0];
  const ids = options.filter(({ value }) => wanted.includes(value)).map(({ id }) => id);
  return field.type === 'array' ? ids : ids[0];
}

function hintOf({ type, format, minimum, maximum }: Field): string | undefined {
  const kind = type === 'integer' ? 'a whole number' : type === 'number' ? 'a number' : format;
  const bounds = [minimum !== undefined && `from ${minimum}`, maximum !== undefined && `to ${maximum}`].filter(Boolean);
  return [kind, ...bounds].filter(Boolean).join(' ') || undefined;
}

/** The content, or why it is invalid, as a text for the person. */
export function contentOfForm(form: Form, { answers }: Pick<Answered, 'answers'>): Record<string, unknown> | string {
  const content: Record<string, unknown> = {};
  for (const given of answers) {
    const field = form.properties[given.question_id];
    if (!field) continue;
    const value = givenValue(field, given);
    const wrong = value === undefined ? `needs ${hintOf(field)}` : problemOf(field, value);
    if (wrong) return `“${field.title ?? given.question_id}” ${wrong}.`;
    content[given.question_id] = value;
  }
  return content;
}

function givenValue(field: Field, { values, text = '' }: GivenAnswer): unknown {
  if (field.type === 'array') return values;
  if (field.type === 'boolean') return values[0] === 'true';
  if (field.type === 'string') return values[0] ?? text;
  const number = Number(text.trim());
  if (text.trim() === '' || !Number.isFinite(number)) return undefined;
  return field.type === 'integer' && !Number.isInteger(number) ? undefined : number;
}

const FORMATS: Record<string, z.ZodType> = {
  email: z.email(),
  uri: z.url(),
  date: z.iso.date(),
  'date-time': z.iso.datetime({ offset: true }),
};

function problemOf(field: Field, value: unknown): string | undefined {
  const { minimum = -Infinity, maximum = Infinity, minLength = 0, maxLength = Infinity } = field;
  const { minItems = 0, maxItems = Infinity, format } = field;
  if (typeof value === 'number' && (value < minimum || value > maximum)) return `must be ${hintOf(field)}`;
  if (Array.isArray(value) && (value.length < minItems || value.length > maxItems))
    return `takes ${minItems} to ${maxItems} of its options`;
  if (typeof value !== 'string' || choicesOf(field)) return undefined;
  if (value.length < minLength || value.length > maxLength) return `has ${minLength} to ${maxLength} characters`;
  return format && FORMATS[format]?.safeParse(value).success === false ? `is no valid ${format}` : undefined;
}
