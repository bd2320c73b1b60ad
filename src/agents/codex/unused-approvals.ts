// For what Codex asks once more an allow may serve that was given and not used: after a crash, or after the person changed
// what was asked. It serves once, for the very action; one for files as they were serves for none; and one for a command in
// the sandbox is none for more. Codex does not say whether a command would run in the sandbox, but it writes down what the
// model called. Owns when that is sure: what is not is asked anew.
import type { ApproveSpec } from '../../client/spec.ts';
import { canonical } from '../../core/digest.ts';
import type { AskView } from '../../core/views.ts';
import { keepStanding, type Standing } from '../kit/resume-message.ts';
import { PREFIX, type WantedApproval } from './approvals.ts';
import type { Place } from './model-messages.ts';
import type { Transcripts, WrittenCall } from './transcripts.ts';

type Shown = Pick<ApproveSpec, 'tool_name' | 'input' | 'reason' | 'suggestions' | 'files'>;

/** The call that asked, and where. */
interface Origin {
  place: Place | undefined;
  itemId: string | undefined;
}

/** What an allow serves for: the action alone, or (`call`) the action within the same limits. Undefined: for nothing. */
export async function servesFor(
  shown: Shown,
  { place, itemId }: Origin,
  transcripts: Transcripts,
): Promise<{ call?: string } | undefined> {
  if (shown.files !== undefined) return undefined;
  if (shown.tool_name !== 'Bash' || shown.input.additional_permissions !== undefined) return {};
  const written = itemId === undefined ? undefined : await transcripts.callOf(place, itemId);
  if (typeof written === 'object') return written.isOutside ? {} : { call: within(written, shown) };
  return isSaidOutside(shown) && !transcripts.asksForAll(place) ? {} : undefined;
}

/** What was allowed and never sent to Codex. `threadId`: the thread that goes on. */
export async function keepAllowed(
  due: readonly AskView[],
  threadId: string,
  standing: Standing,
  transcripts: Transcripts,
): Promise<void> {
  for (const ask of due) {
    // Of what a person changed, and of what was asked again, it is not known here which files it is bound to.
    if (ask.kind !== 'approval' || ask.answer?.updated_input || ask.tool_call_id.includes('#')) continue;
    const [, itemId, turnId] = CALL_AND_TURN.exec(ask.tool_call_id) ?? [];
    const origin = { place: { threadId, turnId }, itemId };
    const served = await servesFor(ask.request, origin, transcripts);
    if (served) keepStanding(standing, ask, served.call);
  }
}

/** The ask that allowed exactly what is wanted; it allows it no second time. */
export async function takeAllowed(
  { spec, itemId }: WantedApproval,
  input: Record<string, unknown>,
  place: Place | undefined,
  standing: Standing,
  transcripts: Transcripts,
): Promise<string | undefined> {
  const action = { tool_name: spec.tool_name, input };
  const known = standing.take(action);
  if (known !== undefined || standing.isEmpty() || itemId === undefined) return known;
  const written = await transcripts.callOf(place, itemId);
  return typeof written === 'object' ? standing.take({ ...action, call: within(written, spec) }) : undefined;
}

/** A call that has failed in the sandbox may ask again, for the same without it; only the reason tells the two apart. */
const within = ({ limits }: WrittenCall, { reason }: Shown): string => canonical([limits, reason ?? '']);

/** Where only what is wanted outside is asked for, unless by a rule: the model says why, and a rule is proposed. */
const isSaidOutside = ({ reason, suggestions }: Shown): boolean =>
  Boolean(reason) && (suggestions ?? []).some((offer) => Object(offer).id === PREFIX);

/** The id of an ask, where it is that of one call. */
const CALL_AND_TURN = /^([^:@]+)@([^~]+)(?:~\d+)?$/;
