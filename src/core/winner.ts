// Defines the decision that won, as refusals and late posts show it.
import { z } from 'zod';

export const WinnerView = z.object({
  answered_by: z.string(),
  surface: z.string(),
  answered_at_ms: z.int(),
  outcome: z.string(),
  /** The decision of an answered approval. */
  behavior: z.enum(['allow', 'deny']).optional(),
  /** Of a withdrawn ask, which no person decided here. */
  reason: z.string().optional(),
  justification: z.string().optional(),
  /** Why the end could not be delivered to the agent, where that is known. */
  undelivered: z.string().optional(),
});
