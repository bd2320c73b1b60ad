// Shows an approval: what would run, in full, why it is asked, and the actions: allow it once, allow it with a suggestion of
// the agent, edit it first, or deny it with a reason. state/approval.ts owns what is sent.
import { TriangleAlert } from 'lucide-react';
import { isPlan } from '../../../src/client/action-summary.ts';
import { fileChangeOf } from '../../../src/client/file-change.ts';
import { isMarked } from '../../../src/client/risk-text.ts';
import type { ApprovalAskView, AskView, SessionView } from '../../../src/core/views.ts';
import { type Approval, useApproval } from '../hooks/approval.ts';
import { isLong } from '../state/action-parts.ts';
import { isShownWhole } from '../state/approval.ts';
import type { Refusal } from '../state/refusal.ts';
import { earlierSentence } from '../text/answer-text.ts';
import { AlwaysField } from './always-field.tsx';
import { ApprovalButtons } from './approval-buttons.tsx';
import type { Frame } from './card-frame.tsx';
import { Details } from './details.tsx';
import { EditField } from './edit-field.tsx';
import { JustBefore } from './just-before.tsx';
import { Proposal } from './proposal.tsx';
import { ReadingNote } from './reading-note.tsx';
import { ReasonField } from './reason-field.tsx';
import { RefusalNotice } from './refusal-notice.tsx';
import { RiskSigns } from './risk-signs.tsx';
import { SavedNote } from './saved-note.tsx';
import { Suggestions } from './suggestions.tsx';

interface ApprovalCardProps {
  ask: ApprovalAskView;
  session: SessionView | undefined;
  hasKeys: boolean;
  frame: Frame;
  onDone: (what: 'Allowed' | 'Denied', decided: AskView) => void;
  onHeld?: (() => void) | undefined;
  onRefused: (refusal: Refusal) => void;
}

export function ApprovalCard({ ask, session, hasKeys, frame, onDone, onRefused, onHeld }: ApprovalCardProps) {
  const { request } = ask;
  const approval = useApproval({ ask, hasKeys, onDone, onRefused, onHeld });
  const { form, submission, reading } = approval;
  const isWhole = isShownWhole(form, request);
  const isWarned =
    (ask.risk ?? []).some(isMarked) || !isWhole || fileChangeOf(request.input)?.keys.includes('content') === true;
  const actions = (
    <>
      {form.mode === 'edit' && <EditField askId={ask.ask_id} request={request} approval={approval} />}
      {form.mode === 'always' && (
        <>
          <AlwaysField askId={ask.ask_id} approval={approval} />
          <AgentSuggestions ask={ask} approval={approval} />
        </>
      )}
      {form.mode === 'deny' && (
        <ReasonField
          id={`reason-${ask.ask_id}`}
          label="Reason (sent to the agent)"
          placeholder="What should it do instead?"
          value={form.reason}
          hasFocus={approval.isFieldWanted}
          isReadOnly={approval.isOnItsWay}
          onChange={(reason) => approval.type({ reason })}
          onSubmit={approval.deny}
        />
      )}
      <RefusalNotice refusal={submission.refusal} isSlow={submission.isSlow} />
      {reading && (
        <ReadingNote
          text={approval.toRead ? `${reading.percent ?? 0}% was shown.` : 'All of it was shown.'}
          isRead={approval.toRead === undefined}
          onRest={reading.readOn}
        />
      )}
      <div className="buttons">
        <ApprovalButtons {...{ ask, approval, hasKeys, isWarned }} />
        {(form.mode !== 'look' || approval.draftState !== 'idle') && <SavedNote state={approval.draftState} />}
      </div>
    </>
  );
  const body = <Body ask={ask} session={session} approval={approval} />;
  return frame(body, actions, isWhole);
}

interface BodyProps {
  ask: ApprovalAskView;
  session: SessionView | undefined;
  approval: Approval;
}

function Body({ ask, session, approval }: BodyProps) {
  const { request } = ask;
  const { form } = approval;
  const folder = request.work_folder ?? session?.work_folder ?? ask.asked_from?.work_folder;
  return (
    <>
      {request.earlier && (
        <p className="notice">
          <TriangleAlert className="icon" /> {earlierSentence(request.earlier)}
        </p>
      )}
      {isLong(request) && (
        <p className="notice">
          <TriangleAlert className="icon" /> {form.isWhole ? WHOLE : LONG}
        </p>
      )}
      <Proposal
        request={request}
        folder={folder}
        isWhole={isShownWhole(form, request)}
        onWhole={approval.showWhole}
        onNote={approval.addNote}
      >
        <RiskSigns ask={ask} />
      </Proposal>
      {isPlan(request) && <p className="small muted">{AFTER_THE_PLAN}</p>}
      <JustBefore ask={ask} />
      <Details request={request} session={session} />
      {form.mode === 'look' && <AgentSuggestions ask={ask} approval={approval} />}
    </>
  );
}

const AgentSuggestions = ({ ask, approval }: Omit<BodyProps, 'session'>) => (
  <Suggestions
    askId={ask.ask_id}
    suggestions={ask.request.suggestions ?? []}
    isDisabled={approval.submission.isSending || approval.toRead !== undefined}
    onTake={(id) => approval.allow([id])}
  />
);

const LONG = 'This is only the beginning. Show all of it, then read to the end to allow it.';
const WHOLE = 'This is all of it. Read to the end to allow it.';

const AFTER_THE_PLAN = 'If you approve, the agent leaves plan mode and starts.';
