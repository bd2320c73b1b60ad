// Derives ask ids from the agent's call ids. The first ask for a call has the call's id; each further one has `~n` behind it,
// where n is a count, or the current time if the earlier ones are not known. An id is never used for a second ask. Also
// finds the asks of a restarted process, each for one call that repeats it unchanged. Pure.
import { hasEnded } from '../../client/outcome.ts';
import type { ApproveSpec, AskSpec } from '../../client/spec.ts';
import type { ApprovalAskView, AskView, AskViewOf, QuestionAskView } from '../../core/views.ts';

type Identified = { id: string };

export const nthId = (callId: string, n: number): string => (n === 1 ? callId : `${callId}~${n}`);

/** The id of the call that an ask is for. Release 0.1.0 also wrote `#n`. */
export const callIdOf = ({ tool_call_id: id }: { tool_call_id: string }): string => id.replace(/[~#]\d+$/, '');

/** `known`: the asks of the run from before its process was restarted. */
export function createKnownAsks(known: readonly AskView[]) {
  const earlier = known.filter((ask) => !hasEnded(ask) || ask.delivery.state === 'due');
  const usedIds = new Set(known.map((ask) => ask.tool_call_id));
  return {
    /** Takes out the newest ask that matches and is open or has an unused answer; no later call gets it. */
    take<K extends AskView['kind']>(kind: K, matches: (ask: AskViewOf<K>) => boolean): AskViewOf<K> | undefined {
      const at = earlier.findLastIndex((ask) => ask.kind === kind && matches(ask as AskViewOf<K>));
      return at < 0 ? undefined : (earlier.splice(at, 1)[0] as AskViewOf<K>);
    },
    /** The spec under an id that no ask has. */
    fresh<T extends Identified>(spec: T): T {
      let n = 1;
      while (usedIds.has(nthId(spec.id, n))) n++;
      const id = nthId(spec.id, n);
      usedIds.add(id);
      return { ...spec, id };
    },
  };
}

/** The spec of an approval as it was raised: raising it again returns the same ask. */
export function approvalSpecOf({ tool_call_id: id, mode, request }: ApprovalAskView): ApproveSpec & Identified {
  const { tool_name, input, work_folder, reason, scope, suggestions, diff, editable, lineage } = request;
  const shown = { tool_name, input, work_folder, reason, scope, suggestions, diff, editable, lineage };
  return { id, mode: mode as 'blocking' | 'deferred', ...shown };
}

export function questionSpecOf({ tool_call_id: id, mode, request }: QuestionAskView): AskSpec & Identified {
  const { questions, context, lineage } = request;
  return { id, mode, questions, context, lineage };
}
