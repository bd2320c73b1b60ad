// Idempotency keys of batches.
import { expect, it } from 'vitest';
import { keyOfRun } from '../../src/cli/approval-batches.ts';

it('derives an idempotency key for each run that is stable, distinct and short enough', () => {
  expect(keyOfRun('k', 'run_1')).toBe('k:run_1');
  expect(keyOfRun('k', 'run_2')).not.toBe(keyOfRun('k', 'run_1'));
  const long = 'ü'.repeat(128);
  expect(Buffer.byteLength(keyOfRun(long, 'run_1'))).toBeLessThanOrEqual(256);
  expect(keyOfRun(long, 'run_1')).toBe(keyOfRun(long, 'run_1'));
  expect(keyOfRun(`${long.slice(1)}x`, 'run_1')).not.toBe(keyOfRun(long, 'run_1'));
});
