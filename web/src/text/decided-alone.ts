// Says why a request is not reviewed together with others. Pure; which ones are not is said by client/approval-groups.ts.
import { isPlan, isQuestion } from '../../../src/client/action-summary.ts';
import { fileChangeOf } from '../../../src/client/file-change.ts';
import type { AskView } from '../../../src/core/views.ts';

export function aloneWhy({ request }: Pick<AskView, 'request'>): string {
  if (isQuestion(request)) return 'a question';
  if (isPlan(request)) return 'a plan';
  if (request.diff !== undefined || fileChangeOf(request.input)) return 'the change of a file';
  if (request.earlier) return 'decided once before';
  return Object.keys(request.input).length === 0 ? 'without an input' : 'long';
}
