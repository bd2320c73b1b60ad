// Turns what happened to a request into the result of an attempt. A target that may not be reached, or an address that
// cannot be read, is refused for good; every other error is tried again.
import { ZodError } from 'zod';
import type { SendResult } from '../core/notice.ts';
import { TargetRefused } from './guarded-post.ts';

export async function resultOf(attempt: () => Promise<SendResult>): Promise<SendResult> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof TargetRefused) return { result: 'refused', reason: error.message };
    if (error instanceof ZodError) return { result: 'refused', reason: 'its address cannot be read' };
    const { code, message } = error as NodeJS.ErrnoException;
    return {
      result: 'failed',
      reason: code === undefined ? message.slice(0, 200) : `it could not be reached (${code})`,
    };
  }
}
