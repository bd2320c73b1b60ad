// Labels: a worker serves a set of needs exactly when it has every label of it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inOrder, Labels, labelKey, MAX_LABELS, servedKeys } from '../../src/core/label.ts';

const labels = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'os=linux', 'team/web', 'v1.2'), { maxLength: 6 });

it('serves a need exactly when the worker has every label of it, and unlabelled work only without labels', () => {
  fc.assert(
    fc.property(labels, labels, (has, needs) => {
      const covered = needs.length === 0 ? has.length === 0 : needs.every((label) => has.includes(label));
      expect(servedKeys(has).includes(labelKey(inOrder(needs)))).toBe(covered);
    }),
  );
});

it('names each set of labels once, also when a label is repeated', () => {
  const keys = servedKeys(['b', 'a', 'b']);
  expect(keys.sort()).toEqual(['a', 'a b', 'b']);
  expect(servedKeys(Array.from({ length: MAX_LABELS }, (_, i) => `l${i}`))).toHaveLength(2 ** MAX_LABELS - 1);
});

it.each(['', ' ', 'a b', 'a,b', '-x', 'é', 'x'.repeat(65)])('refuses the label %j', (label) => {
  expect(Labels.safeParse([label]).success).toBe(false);
});
