// Fields that bodies and views share.
import { z } from 'zod';

export const instant = z.int().nonnegative();
export const looseObject = z.record(z.string(), z.unknown());
/** A task or subtask as its owner names it. */
export const ownId = z.union([z.string().min(1).max(128), z.int()]);
