// Decides approvals of one shape together: each is listed in full, any can be left out, and one atomic batch is sent for
// each run. A batch that is refused is reported and leaves the others as they are.
import { ArrowLeft, Check, X } from 'lucide-react';
import { useState } from 'react';
import { type ApprovalGroup, batchesOf } from '../../../src/client/approval-groups.ts';
import type { ApprovalRequest, AskView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useCommands } from '../hooks/commands.ts';
import { idempotencyKeys } from '../hooks/idempotency-keys.ts';
import { useSighting } from '../hooks/sighting.ts';
import { useStoredText } from '../hooks/stored-text.ts';
import { toast } from '../hooks/toasts.ts';
import { type Refusal, refusalOf } from '../state/refusal.ts';
import { agentName, sessionName } from '../text/session-text.ts';
import { Card, CardTitle } from './card-frame.tsx';
import { Key } from './key.tsx';
import { ReasonField } from './reason-field.tsx';
import { Exact } from './text.tsx';
import './group-card.css';

interface GroupCardProps {
  group: ApprovalGroup;
  /** The page shows it, because this card unmounts when too few are left for a group. */
  onRefused: (text: string | undefined) => void;
  sessions: ReadonlyMap<string, SessionView>;
  onBack: () => void;
}

export default function GroupCard({ group, sessions, onBack, onRefused }: GroupCardProps) {
  // An approval that arrives after the card was opened is listed unchecked.
  const [checked, setChecked] = useState<ReadonlySet<string>>(() => new Set(group.members.map(({ ask_id }) => ask_id)));
  const [initial] = useState(checked);
  const [isDenying, setDenying] = useState(false);
  const [reason, setReason] = useStoredText(`holdpoint-group-${group.shape}`);
  const [isSending, setSending] = useState(false);
  const chosen = group.members.filter(({ ask_id }) => checked.has(ask_id));
  const runs = new Set(chosen.map(({ run_id }) => run_id)).size;

  const decide = async (behavior: 'allow' | 'deny') => {
    if (isSending || chosen.length === 0) return;
    setSending(true);
    onRefused(undefined);
    let decided = 0;
    const why = behavior === 'deny' && reason.trim() !== '' ? { reason: reason.trim() } : {};
    for (const { runId, resolutions } of batchesOf(chosen, ({ ask_id }) => ({
      request_id: ask_id,
      behavior,
      ...why,
    }))) {
      const keys = idempotencyKeys(`batch-${runId}`);
      const idempotencyKey = keys.keyFor(JSON.stringify(resolutions));
      try {
        await api.approvals.decideRun(runId, { resolutions }, { idempotencyKey });
        decided += resolutions.length;
        keys.clear();
      } catch (error) {
        const refusal = refusalOf(error, Date.now());
        if (refusal.isFinal) keys.clear();
        onRefused(batchSentence(refusal, resolutions.length));
      }
    }
    setSending(false);
    if (decided === chosen.length) setReason('');
    if (decided > 0) toast(`${behavior === 'allow' ? 'Allowed' : 'Denied'} ${decided}`);
  };
  const deny = () => (isDenying ? void decide('deny') : setDenying(true));
  useCommands({ deny, back: () => (isDenying ? setDenying(false) : onBack()) });
  const toggle = (askId: string) => {
    const next = new Set(checked);
    if (!next.delete(askId)) next.add(askId);
    setChecked(next);
  };
  const body = (
    <>
      <div>
        <button type="button" className="button quiet" onClick={onBack}>
          <ArrowLeft className="icon" /> Back <Key>Esc</Key>
        </button>
      </div>
      <CardTitle>
        {group.members.length} approvals of <code>{<Exact text={group.tool} />}</code>
        {group.program !== undefined && (
          <>
            {' '}
            with <code>{<Exact text={group.program} />}</code>
          </>
        )}
        {group.folder !== undefined && (
          <>
            {' '}
            in <code>{<Exact text={group.folder} />}</code>
          </>
        )}
      </CardTitle>
      <p className="muted">Each is listed as it would run. Uncheck what should wait.</p>
      <div className="members">
        {group.members.map((ask) => (
          <Member
            key={ask.ask_id}
            ask={ask}
            session={sessions.get(ask.session_id)}
            isChecked={checked.has(ask.ask_id)}
            isNew={!initial.has(ask.ask_id)}
            onToggle={() => toggle(ask.ask_id)}
          />
        ))}
      </div>
    </>
  );
  const isDisabled = isSending || chosen.length === 0;
  const actions = (
    <>
      {isDenying && (
        <ReasonField
          id="group-reason"
          label="Why not? Each agent is told."
          value={reason}
          hasFocus
          onChange={setReason}
        />
      )}
      <div className="buttons">
        {!isDenying && (
          <button type="button" className="button primary" disabled={isDisabled} onClick={() => decide('allow')}>
            <Check className="icon" /> Allow {chosen.length} {runs === 1 ? 'in one run' : `in ${runs} runs`}
          </button>
        )}
        <button
          type="button"
          className={`button danger ${isDenying ? 'primary' : ''}`}
          disabled={isDisabled}
          onClick={deny}
        >
          <X className="icon" /> Deny {chosen.length} <Key>d</Key>
        </button>
      </div>
    </>
  );
  return <Card label="Approvals of one shape" body={body} actions={actions} />;
}

interface MemberProps {
  ask: AskView;
  session: SessionView | undefined;
  isChecked: boolean;
  isNew: boolean;
  onToggle: () => void;
}

function Member({ ask, session, isChecked, isNew, onToggle }: MemberProps) {
  const element = useSighting<HTMLLabelElement>(ask, true);
  return (
    <label className="member" ref={element}>
      <input type="checkbox" checked={isChecked} onChange={onToggle} />
      <pre>
        <Exact text={ask.kind === 'approval' ? inputText(ask.request) : ''} />
      </pre>
      <span />
      <span className="tiny muted">
        {isNew && <span className="chip warn">new</span>}{' '}
        {session ? `${agentName(session)} · ${sessionName(session)}` : ''}
      </span>
    </label>
  );
}

/** Only what the server refused is known not to have been decided. */
function batchSentence({ text, isFinal }: Refusal, count: number): string {
  if (count === 1) return text;
  return isFinal ? `None of the ${count} of one run was decided: ${text}` : `${count} of one run: ${text}`;
}

/** A single text field as its text, any other input as JSON. */
function inputText({ input }: ApprovalRequest): string {
  const [only, ...others] = Object.values(input);
  return typeof only === 'string' && others.length === 0 ? only : JSON.stringify(input, undefined, 2);
}
