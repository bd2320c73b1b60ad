// Text of an agent as the server takes it: well-formed, without NUL, and not longer than a field may be. For words that
// describe an ask; what would run is never touched.
import { tellable } from '../../core/tellable.ts';

/** At most so many code units, and no character cut in two. */
export function fittingText(text: string, most: number): string {
  const clean = tellable(text);
  if (clean.length <= most) return clean;
  return `${clean.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
