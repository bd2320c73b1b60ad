// Declares the lines that `amp --execute --stream-json` prints, with only the members that are used. Owns shapes.
import { z } from 'zod';

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
});

export const StreamLine = z.union([
  z.looseObject({ type: z.literal('system'), session_id: z.string() }),
  z.looseObject({ type: z.literal('assistant'), message: z.looseObject({ content: z.array(Part) }) }),
  z.looseObject({
    type: z.literal('result'),
    is_error: z.boolean().catch(false),
    result: z.string().optional(),
    error: z.string().optional(),
  }),
]);
export type StreamLine = z.infer<typeof StreamLine>;
