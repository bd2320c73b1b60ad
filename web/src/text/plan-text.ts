// Finds the file of a plan, and whether rendering its Markdown would hide a part of it from the reader. Pure.
import type { ApprovalRequest } from '../../../src/core/views.ts';

/** The path of the plan; empty where it is in no file. */
export const planFile = ({ input }: ApprovalRequest): string => String(input.planFilePath ?? '');

/** Link targets, definitions that are not rendered, character references. */
const HIDING = /\][:([]|&#?\w{1,40};/;

export const hidesText = (markdown: string): boolean =>
  HIDING.test(markdown) || markdown.split('\n').some(hasHiddenInfo);

/** Renderers use only the first word after a code fence. */
function hasHiddenInfo(line: string): boolean {
  const at = line.search(/```|~~~/);
  if (at < 0) return false;
  const info = line.slice(at).replace(/^[`~]+/, '');
  return /\s/.test(info.trim());
}
