// Draws the buttons of an approval: allow, edit or deny; while a field is open, send it or go back.
import { Check, ChevronsDown, Pencil, ShieldCheck, X } from 'lucide-react';
import { isPlan } from '../../../src/client/action-summary.ts';
import type { ApprovalAskView } from '../../../src/core/views.ts';
import type { Approval } from '../hooks/approval.ts';
import { useLeavesAtOnce } from '../hooks/undo.ts';
import { editProblem, isEditable, isEdited } from '../state/approval.ts';
import { ButtonText } from './button-text.tsx';
import { Key } from './key.tsx';

interface ApprovalButtonsProps {
  ask: ApprovalAskView;
  approval: Approval;
  hasKeys: boolean;
  /** There is something to notice about it: nothing on the card invites to allow it. */
  isWarned: boolean;
}

export function ApprovalButtons({ ask, approval, hasKeys, isWarned }: ApprovalButtonsProps) {
  const { request } = ask;
  const { form, open, allow, deny, toRead } = approval;
  const { isSending } = approval.submission;
  if (form.mode === 'look')
    return (
      <>
        <AllowButton {...{ ask, approval, hasKeys, isWarned }} />
        {!isPlan(request) && (
          <button
            type="button"
            className="button"
            disabled={isSending || toRead !== undefined}
            onClick={() => open('always')}
          >
            <ShieldCheck className="icon" /> Always… {hasKeys && <Key isIdle={toRead !== undefined}>w</Key>}
          </button>
        )}
        {isEditable(request) && (
          <button type="button" className="button" disabled={isSending} onClick={() => open('edit')}>
            <Pencil className="icon" /> Edit {hasKeys && <Key>e</Key>}
          </button>
        )}
        <button type="button" className="button danger" disabled={isSending} onClick={deny}>
          <X className="icon" /> Deny {hasKeys && <Key>d</Key>}
        </button>
      </>
    );
  const isReady = editProblem(form, request) === undefined && isEdited(form, request);
  return (
    <>
      {form.mode === 'edit' ? (
        <button
          type="button"
          className="button primary"
          disabled={isSending || !isReady || toRead !== undefined}
          onClick={() => allow()}
        >
          <Check className="icon" /> {isPlan(request) ? 'Approve' : 'Allow'} as edited <Key>Ctrl ↵</Key>
        </button>
      ) : form.mode === 'deny' ? (
        <button type="button" className="button primary danger" disabled={isSending} onClick={deny}>
          <X className="icon" /> Deny <Key>Ctrl ↵</Key>
        </button>
      ) : null}
      <button type="button" className="button quiet" onClick={() => open('look')}>
        Cancel {hasKeys && <Key>Esc</Key>}
      </button>
      {form.mode !== 'always' && (
        <button
          type="button"
          className="button quiet"
          disabled={form.mode === 'deny' ? form.reason === '' : !isEdited(form, request) && form.reason === ''}
          onClick={form.mode === 'deny' ? approval.clearReason : approval.discard}
        >
          {form.mode === 'deny' ? 'Clear text' : 'Discard'}
        </button>
      )}
    </>
  );
}

const READ_ON = 'Read to the end to allow';
const AT_ONCE = 'Sent at once: it expires too soon for the pause in which it could be undone.';

/** Says what is missing before an action that was not all shown can be allowed. */
function AllowButton({ ask, approval, hasKeys, isWarned }: ApprovalButtonsProps) {
  const { toRead, reading, showWhole, allow } = approval;
  const leavesAtOnce = useLeavesAtOnce([ask]);
  const [later, atOnce] = isPlan(ask.request) ? ['Approve', 'Approve now'] : ['Allow once', 'Allow now'];
  const longest = reading ? READ_ON : later.length > atOnce.length ? later : atOnce;
  if (toRead === 'show-whole')
    return (
      <button type="button" className="button primary" onClick={showWhole}>
        <ChevronsDown className="icon" /> <ButtonText text="Show all of it" longest={longest} />{' '}
        {hasKeys && <Key>a</Key>}
      </button>
    );
  return (
    <button
      type="button"
      className={`button ${isWarned ? '' : 'primary'}`}
      disabled={approval.submission.isSending || toRead !== undefined}
      title={toRead ? READ_ON : leavesAtOnce ? AT_ONCE : undefined}
      onClick={() => allow()}
    >
      <Check className="icon" />{' '}
      <ButtonText text={toRead && reading ? READ_ON : leavesAtOnce ? atOnce : later} longest={longest} />{' '}
      {hasKeys && <Key isIdle={toRead !== undefined}>a</Key>}
    </button>
  );
}
