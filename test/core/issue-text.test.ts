// What a schema refuses, in plain words.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { issueText } from '../../src/core/issue-text.ts';

const words = (schema: z.ZodType, value: unknown) => (schema.safeParse(value).error?.issues ?? []).map(issueText);

it.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, 'is required'],
  [z.string(), 1, 'must be a string, not a number'],
  [z.array(z.string()), 'x', 'must be an array, not a string'],
  [z.record(z.string(), z.unknown()), null, 'must be an object, not null'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'yes', 'must be true or false, not a string'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().max(2), 'abc', 'must have at most 2 characters'],
  [z.array(z.string()).min(1), [], 'must have at least 1 entry'],
  [z.array(z.string()).max(2), ['', '', ''], 'must have at most 2 entries'],
  [z.int().max(9), 10, 'must be at most 9'],
  [z.int().positive(), 0, 'must be more than 0'],
  [z.enum(['a', 'b']), 'c', 'must be "a" or "b"'],
  [z.strictObject({}), { a: 1, b: 2 }, 'has no field "a", "b"'],
  [z.union([z.string(), z.int()]), true, 'must be a string or a number'],
  [z.string().regex(/x/, 'must have an x'), 'y', 'must have an x'],
])('words an issue, case %#', (schema, value, text) => expect(words(schema, value)).toEqual([text]));
