// Holds the state of an approval card (which field is open, what is typed and edited) and decides what it sends. Pure. No
// approval is allowed before all of its action was on the screen.
import type { ApprovalResolution } from '../../../src/core/answer.ts';
import type { Always } from '../../../src/core/grant.ts';
import type { ApprovalRequest, DraftView } from '../../../src/core/views.ts';
import { isLong } from './action-parts.ts';
import { editable, readEdit } from './edit-input.ts';
import { hasFolded } from './unshown-files.ts';

export interface ApprovalForm {
  readonly mode: 'look' | 'edit' | 'deny' | 'always';
  /** Why it is denied. */
  readonly reason: string;
  /** The input as text, as far as it was edited. */
  readonly edit: string;
  /** The person has typed here: an older draft may not replace it. */
  readonly isTouched: boolean;
  /** All of the action is shown, however long. */
  readonly isWhole: boolean;
}

type Draft = Pick<DraftView, 'reason' | 'updated_input'>;
type Decision = Omit<ApprovalResolution, 'request_id'>;

export const openApproval = ({ input }: ApprovalRequest): ApprovalForm => ({
  mode: 'look',
  reason: '',
  edit: editable(input).text,
  isTouched: false,
  isWhole: false,
});

/** There is an input, and the caller accepts a changed one. */
export const isEditable = ({ input, editable }: ApprovalRequest): boolean =>
  editable !== false && Object.keys(input).length > 0;

/** Fills in a draft, and opens the field it belongs to. `isNewer`: it replaces what was typed here. */
export function withDraft(
  form: ApprovalForm,
  request: ApprovalRequest,
  { reason = '', updated_input }: Draft,
  isNewer: boolean,
): ApprovalForm {
  if (form.isTouched && !isNewer) return form;
  const mode = updated_input !== undefined ? 'edit' : reason !== '' ? 'deny' : form.mode;
  return { ...form, mode, reason, edit: updated_input ?? editable(request.input).text };
}

/** The texts of the form are those of the draft. */
export const hasDraft = (
  form: ApprovalForm,
  { input }: ApprovalRequest,
  { reason = '', updated_input }: Draft,
): boolean => form.reason === reason && form.edit === (updated_input ?? editable(input).text);

export const draftOf = ({ reason, edit }: ApprovalForm, { input }: ApprovalRequest): Draft => ({
  ...(reason !== '' && { reason }),
  ...(edit !== editable(input).text && { updated_input: edit }),
});

/** Why the edited input cannot be sent, where it is no valid input. */
export const editProblem = (form: ApprovalForm, { input }: ApprovalRequest): string | undefined =>
  readEdit(form.edit, input).problem;

export const isEdited = (form: ApprovalForm, { input }: ApprovalRequest): boolean => form.edit !== editable(input).text;

/** Nothing of the action is truncated or folded, or the person has asked for all of it. */
export const isShownWhole = ({ isWhole }: Pick<ApprovalForm, 'isWhole'>, request: ApprovalRequest): boolean =>
  isWhole || !(isLong(request) || hasFolded(request));

/** What has to happen before it can be allowed; undefined where it can. `isRead`: every part of it was on the screen. */
export function toRead(
  form: ApprovalForm,
  request: ApprovalRequest,
  isRead: boolean,
): 'show-whole' | 'read-on' | undefined {
  if (!isShownWhole(form, request)) return 'show-whole';
  return isRead ? undefined : 'read-on';
}

/** What allowing does now: send a decision, or nothing. */
export function allowed(
  form: ApprovalForm,
  request: ApprovalRequest,
  suggestionIds: string[],
  always?: Always,
): Decision | undefined {
  if (form.mode === 'deny') return undefined;
  const isSuggested = suggestionIds.length > 0;
  if (form.mode === 'always' && !isSuggested) return always && { behavior: 'allow', always };
  if (form.mode === 'look' || form.mode === 'always')
    return { behavior: 'allow', ...(isSuggested && { suggestion_ids: suggestionIds }) };
  const { input } = readEdit(form.edit, request.input);
  return input && isEdited(form, request) ? { behavior: 'allow', updated_input: input } : undefined;
}

/** What denying does now: ask for the reason first, then send it. */
export function denied({ mode, reason }: ApprovalForm): Decision | 'ask-reason' {
  if (mode !== 'deny') return 'ask-reason';
  return { behavior: 'deny', ...(reason.trim() !== '' && { reason: reason.trim() }) };
}
