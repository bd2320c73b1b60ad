// What an approval would do, in full: the command, the change of a file, and every other field of the input. What is not
// understood is shown as JSON; nothing is left out.
import { lazy, Suspense } from 'react';
import { fileChangeOf } from '../../../src/client/file-change.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { Code, LONGEST_SHOWN, MOST_LINES } from './code.tsx';

const Diff = lazy(() => import('./diff.tsx'));

interface ActionProps {
  request: Pick<ApprovalRequest, 'input' | 'diff'>;
  isWhole: boolean;
  onWhole: () => void;
}

/** Something is too long to be drawn at once. */
export const isLong = ({ input, diff }: Pick<ApprovalRequest, 'input' | 'diff'>): boolean => {
  const changed = fileChangeOf(input)?.changes.flatMap(({ before, after }) => [before, after]) ?? [];
  return (
    partsOf(input).some(({ text }) => text.length > LONGEST_SHOWN) ||
    [...changed, diff ?? ''].some((text) => text.split('\n', MOST_LINES + 1).length > MOST_LINES)
  );
};

export function Action({ request, isWhole, onWhole }: ActionProps) {
  const { input, diff } = request;
  const change = fileChangeOf(input);
  const changed = change?.keys ?? [];
  const whole = { isWhole, onWhole };
  return (
    <>
      {partsOf(input)
        .filter(({ key }) => !changed.includes(key))
        .map(({ key, text, language }) => (
          <Code key={key} title={key} text={text} language={language} isWhole={isWhole} onWhole={onWhole} />
        ))}
      <Suspense fallback={<p aria-busy="true">Loading the change…</p>}>
        {change && <Diff file={change.file ?? 'file'} changes={change.changes} patch={undefined} {...whole} />}
        {diff !== undefined && <Diff file={fileOf(diff)} changes={undefined} patch={diff} {...whole} />}
      </Suspense>
    </>
  );
}

interface Part {
  key: string;
  text: string;
  language: 'bash' | 'json' | 'plain';
}

/** Short fields that are no command share one box: the input as JSON reads better than many boxes. */
function partsOf(input: Record<string, unknown>): Part[] {
  const parts: Part[] = [];
  const rest: Record<string, unknown> = {};
  const changed = new Set(fileChangeOf(input)?.keys);
  for (const [key, value] of Object.entries(input)) {
    if (key === 'command' && typeof value === 'string') parts.unshift({ key, text: value, language: 'bash' });
    else if (changed.has(key)) parts.push({ key, text: '', language: 'plain' });
    else if (typeof value === 'string' && value.includes('\n')) parts.push({ key, text: value, language: 'plain' });
    else rest[key] = value;
  }
  if (Object.keys(rest).length > 0 || parts.length === 0)
    parts.push({ key: 'input', text: JSON.stringify(rest, undefined, 2), language: 'json' });
  return parts;
}

const fileOf = (diff: string): string => /^\+\+\+ (?:b\/)?(.+)$/m.exec(diff)?.[1] ?? 'change';
