// The asks of a run from before its process was started again. Each may be taken, with its answer, by one call that repeats
// it unchanged. An id that was used never names another ask: that becomes `id#2`. Pure.
import { hasEnded } from '../../client/outcome.ts';
import type { ApproveSpec, AskSpec } from '../../client/spec.ts';
import type { ApprovalRequest, AskView, UserQuestionRequest } from '../../core/views.ts';

type Named = { id: string };

export interface KnownAsks {
  /** One that is open, or whose answer was not used. It is taken out: no second call has it. */
  take(isIt: (ask: AskView) => boolean): AskView | undefined;
  /** An ask of its own, also where the id of the call was used before. */
  fresh<T extends Named>(spec: T): T;
}

export function createKnownAsks(known: readonly AskView[]): KnownAsks {
  const earlier = known.filter((ask) => !hasEnded(ask) || ask.delivery.state === 'due');
  const usedIds = new Set(known.map((ask) => ask.tool_call_id));
  return {
    // The newest first: of several asks under one repeated id only the last can be open.
    take(isIt) {
      const at = earlier.findLastIndex(isIt);
      return at < 0 ? undefined : earlier.splice(at, 1)[0];
    },
    fresh(spec) {
      let { id } = spec;
      for (let n = 2; usedIds.has(id); n++) id = `${spec.id}${AGAIN}${n}`;
      usedIds.add(id);
      return { ...spec, id };
    },
  };
}

/** Between the id of a call and the number of the time it came. */
const AGAIN = '#';

/** The call that an ask was for, as Claude Code names it. */
export const callIdOf = ({ tool_call_id: id }: AskView): string => id.replace(new RegExp(`${AGAIN}\\d+$`), '');

/** An ask as it was raised, so that raising it again finds it. */
export function approvalAgain(ask: AskView): ApproveSpec & Named {
  const { tool_call_id: id, mode, request } = ask;
  const { tool_name, input, work_folder, reason, scope, suggestions, diff, lineage } = request as ApprovalRequest;
  const shown = { tool_name, input, work_folder, reason, scope, suggestions, diff, lineage };
  return { id, mode: mode as 'blocking' | 'deferred', ...shown };
}

export function questionAgain(ask: AskView): AskSpec & Named {
  const { tool_call_id: id, mode, request } = ask;
  const { questions, context, lineage } = request as UserQuestionRequest;
  return { id, mode, questions, context, lineage };
}
