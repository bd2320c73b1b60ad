// Connects an approval card to its draft, its keys and the server. state/approval.ts decides what is sent.

import { useEffect, useRef, useState } from 'react';
import { isPlan } from '../../../src/client/action-summary.ts';
import type { Always } from '../../../src/core/grant.ts';
import type { ApprovalAskView, ApprovalRequest, AskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import {
  type ApprovalForm,
  allowed,
  denied,
  draftOf,
  hasDraft,
  isEditable,
  isShownWhole,
  openApproval,
  toRead,
  withDraft,
} from '../state/approval.ts';
import type { Refusal } from '../state/refusal.ts';
import { shortSummary } from '../text/ask-text.ts';
import { withNote } from '../text/line-place.ts';
import { useCommands } from './commands.ts';
import { type Draft, useDraft } from './draft.ts';
import { movedByItself } from './gesture.ts';
import { focusCard } from './row-focus.ts';
import { isShownNow, type Reading, useReading, useUnshown } from './sighting.ts';
import { type Submission, UNDONE, useSubmission } from './submission.ts';
import { toast } from './toasts.ts';
import { holdBack, takeBack } from './undo.ts';
import { onItsWay, useUnsent } from './unsent.ts';

export interface Approval {
  form: ApprovalForm;
  submission: Submission;
  draftState: Draft['state'];
  /** The person opened a field themselves, rather than a draft: it gets the focus. */
  isFieldWanted: boolean;
  /** The decision has left and cannot be changed any more. */
  isOnItsWay: boolean;
  open(mode: ApprovalForm['mode']): void;
  /** What would be sent is changed elsewhere: an allow that is held back is taken back. */
  takeBack(): void;
  type(text: { reason: string } | { edit: string }): void;
  /** A note on a line becomes part of the reason of a denial. */
  addNote(place: string, note: string): void;
  /** What has to happen before it can be allowed. */
  toRead: ReturnType<typeof toRead>;
  /** How much of it was on the screen, where that is not all of it from the start. */
  reading: Partial<Reading> | undefined;
  showWhole(): void;
  /** Forgets what was typed and edited, and closes the field. */
  discard(): void;
  /** Empties the field of the reason, in which the person goes on. */
  clearReason(): void;
  /** `always`: what is allowed from now on as well. */
  allow(suggestionIds?: string[], always?: Always): void;
  deny(): void;
}

interface ApprovalOptions {
  ask: ApprovalAskView;
  hasKeys: boolean;
  onDone: (what: 'Allowed' | 'Denied', decided: AskView) => void;
  onRefused: (refusal: Refusal) => void;
  /** An allow is held back for a moment: the person may go on. */
  onHeld?: (() => void) | undefined;
}

export function useApproval({ ask, hasKeys, onDone, onRefused, onHeld }: ApprovalOptions): Approval {
  const [request] = useState(ask.request);
  const [form, setForm] = useState(() => openApproval(request));
  const latest = useRef(form);
  latest.current = form;
  const [isFieldWanted, setFieldWanted] = useState(false);
  const sending = useSubmission(`ask-${ask.ask_id}`, request);
  const unsent = useUnsent().get(ask.ask_id);
  const isOnItsWay = unsent === 'Sending…';
  const isOver = ask.status !== 'pending';
  const submission = unsent || isOver ? { ...sending, isSending: true } : sending;
  const left = toRead(form, request, useUnshown([ask]).length === 0);
  const now = useReading(ask.ask_id);
  // Once it did not fit it is said to the end, so that no button moves.
  const [isCut, setCut] = useState(() => !isShownWhole(form, request));
  if (!isCut && left === 'read-on' && now?.isCut) setCut(true);
  const { incoming, state: draftState, save, suspend } = useDraft(ask.ask_id);
  useEffect(() => {
    if (!incoming) return;
    // What was saved here comes back.
    if (hasDraft(latest.current, request, incoming.content)) return;
    // It may open a field, and with it change what "allow" would send.
    movedByItself();
    if (incoming.isNewer) takeBack(ask.ask_id);
    setForm((mine) => withDraft(mine, request, incoming.content, incoming.isNewer));
  }, [incoming, request, ask.ask_id]);
  /** Every change by the person ends here: what is sent is what was on the screen last. */
  const change = (next: ApprovalForm): boolean => {
    if (isOnItsWay) return false;
    takeBack(ask.ask_id);
    setForm(next);
    return true;
  };

  /** With the input as it was edited. */
  const decidedAs = ({ updated_input: input }: { updated_input?: ApprovalRequest['input'] | undefined }): AskView =>
    input ? { ...ask, request: { ...ask.request, input } } : ask;
  const send = async (decision: Exclude<ReturnType<typeof denied>, string>) => {
    const resolutions = [{ request_id: ask.ask_id, ...decision }];
    const draft = suspend();
    const refusal = await submission.send(
      resolutions,
      (options) => onItsWay([ask.ask_id], api.approvals.decideRun(ask.run_id, { resolutions }, options)),
      decision.behavior === 'allow' ? () => holdBack([ask], shortSummary(decidedAs(decision)), onHeld) : undefined,
    );
    if (refusal === UNDONE) return draft.resume();
    if (refusal) {
      draft.resume();
      return onRefused(refusal);
    }
    draft.drop();
    onDone(decision.behavior === 'allow' ? 'Allowed' : 'Denied', decidedAs(decision));
  };
  /** Whatever would allow it, once or always, asks here first: all of it has to be shown. */
  const isToRead = (): boolean => {
    if (left === undefined || (left === 'read-on' && isShownNow(ask.ask_id))) return false;
    if (left === 'show-whole') showWhole();
    else toast('Read to the end to allow it.', 'warn');
    return true;
  };
  const open = (mode: ApprovalForm['mode']) => {
    if (mode === 'always' && isToRead()) return;
    setFieldWanted(mode !== 'look');
    change({ ...form, mode });
  };
  const showWhole = () => {
    change({ ...form, isWhole: true });
    focusCard(ask.ask_id);
  };
  const approval: Approval = {
    form,
    submission,
    draftState,
    isFieldWanted,
    isOnItsWay,
    open,
    takeBack: () => takeBack(ask.ask_id),
    toRead: left,
    reading: isCut ? (now ?? {}) : undefined,
    showWhole,
    discard() {
      if (change({ ...openApproval(request), isWhole: form.isWhole })) suspend().drop();
    },
    clearReason() {
      approval.type({ reason: '' });
      document.querySelector<HTMLElement>(`[data-ask="${CSS.escape(ask.ask_id)}"] .actions textarea`)?.focus();
    },
    type(text) {
      const next = { ...form, ...text, isTouched: true };
      if (change(next)) save(draftOf(next, request));
    },
    addNote(place, note) {
      const next = { ...form, reason: withNote(form.reason, place, note), mode: 'deny' as const, isTouched: true };
      setFieldWanted(false);
      if (change(next)) save(draftOf(next, request));
    },
    allow(suggestionIds = [], always) {
      if (submission.isSending || isToRead()) return;
      const decision = allowed(form, request, suggestionIds, always);
      if (decision) void send(decision);
    },
    deny() {
      if (submission.isSending) return;
      const decision = denied(form);
      if (decision === 'ask-reason') open('deny');
      else void send(decision);
    },
  };
  useCommands(
    hasKeys
      ? {
          allow: () => approval.allow(),
          deny: approval.deny,
          ...(!isPlan(request) && { always: () => open('always') }),
          copy: () => void copyAction(request),
          ...(isEditable(request) && { edit: () => open('edit') }),
          ...(form.mode !== 'look' && { back: () => open('look') }),
        }
      : {},
  );
  return approval;
}

/** The command, or the whole input. Nothing where the browser offers no clipboard. */
async function copyAction({ input }: ApprovalRequest): Promise<void> {
  const text = typeof input.command === 'string' ? input.command : JSON.stringify(input, undefined, 2);
  await navigator.clipboard?.writeText(text).then(
    () => toast('Copied'),
    () => toast('The browser did not allow copying.', 'warn'),
  );
}
