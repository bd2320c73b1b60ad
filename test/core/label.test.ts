import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inOrder, Labels, labelKey, MAX_LABELS, servedKeys } from '../../src/core/label.ts';

const labels = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'os=linux', 'team/web', 'v1.2'), { maxLength: 6 });

it('a worker serves a need exactly when it has every label of it, and none and some are never mixed', () => {
  fc.assert(
    fc.property(labels, labels, (has, needs) => {
      const covered = needs.length === 0 ? has.length === 0 : needs.every((label) => has.includes(label));
      expect(servedKeys(has).includes(labelKey(inOrder(needs)))).toBe(covered);
    }),
  );
});

it('no set is named twice, also when a label is', () => {
  const keys = servedKeys(['b', 'a', 'b']);
  expect(keys.sort()).toEqual(['a', 'a b', 'b']);
  expect(servedKeys(Array.from({ length: MAX_LABELS }, (_, i) => `l${i}`))).toHaveLength(2 ** MAX_LABELS - 1);
});

it.each(['', ' ', 'a b', 'a,b', '-x', 'é', 'x'.repeat(65)])('%j is no label', (label) => {
  expect(Labels.safeParse([label]).success).toBe(false);
});
