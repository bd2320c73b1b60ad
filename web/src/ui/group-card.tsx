// Approvals of one shape, decided together: each of them in full, any of them can be left out, and one atomic batch goes
// out for each run. A batch that is refused is reported and leaves the others as they are.
import { ArrowLeft, Check, X } from 'lucide-react';
import { useState } from 'react';
import type { ApprovalRequest, AskView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useCommands } from '../hooks/commands.ts';
import { triedIn } from '../hooks/idempotency-keys.ts';
import { useSighting } from '../hooks/sighting.ts';
import { useKeptText } from '../hooks/stored-text.ts';
import { type Refused, refusedOf } from '../hooks/submission.ts';
import { batchesOf, type Group } from '../state/groups.ts';
import { agentName, sessionName } from './crumbs.tsx';
import { Key } from './key.tsx';
import { Exact } from './text.tsx';
import { toast } from './toasts.tsx';

interface GroupCardProps {
  group: Group;
  /** Outlives this card, which goes when too few are left to be a group. */
  onRefused: (text: string | undefined) => void;
  sessions: ReadonlyMap<string, SessionView>;
  onBack: () => void;
}

export default function GroupCard({ group, sessions, onBack, onRefused }: GroupCardProps) {
  // What was listed when the card was opened. What comes later is listed too, and waits until it is checked.
  const [taken, setTaken] = useState<ReadonlySet<string>>(() => new Set(group.members.map(({ ask_id }) => ask_id)));
  const [listed] = useState(taken);
  const [isDenying, setDenying] = useState(false);
  const [reason, setReason] = useKeptText(`holdpoint-group-${group.shape}`);
  const [isSending, setSending] = useState(false);
  const chosen = group.members.filter(({ ask_id }) => taken.has(ask_id));
  const runs = new Set(chosen.map(({ run_id }) => run_id)).size;

  const decide = async (behavior: 'allow' | 'deny') => {
    if (isSending || chosen.length === 0) return;
    setSending(true);
    onRefused(undefined);
    let decided = 0;
    for (const { runId, resolutions } of batchesOf(chosen, behavior, reason)) {
      const tried = triedIn(`batch-${runId}`);
      try {
        await api.approvals.decideRun(
          runId,
          { resolutions },
          { idempotencyKey: tried.keyFor(JSON.stringify(resolutions)) },
        );
        decided += resolutions.length;
        tried.forget();
      } catch (error) {
        const refused = refusedOf(error, Date.now());
        if (refused.isJudged) tried.forget();
        onRefused(batchSentence(refused, resolutions.length));
      }
    }
    setSending(false);
    if (decided === chosen.length) setReason('');
    if (decided > 0) toast(`${behavior === 'allow' ? 'Allowed' : 'Denied'} ${decided}`);
  };
  useCommands({
    deny: () => (isDenying ? void decide('deny') : setDenying(true)),
    back: () => (isDenying ? setDenying(false) : onBack()),
  });
  const toggle = (askId: string) => {
    const next = new Set(taken);
    if (!next.delete(askId)) next.add(askId);
    setTaken(next);
  };
  const inRuns = runs === 1 ? 'in one run' : `in ${runs} runs`;
  return (
    <article className="card" aria-label="Approvals of one shape">
      <div className="card-scroll">
        <div className="card-body">
          <div>
            <button type="button" className="button quiet" onClick={onBack}>
              <ArrowLeft className="icon" /> Back <Key>Esc</Key>
            </button>
          </div>
          <div className="card-title">
            <h2>
              {group.members.length} approvals of <code>{<Exact text={group.tool} />}</code>
              {group.program !== undefined && (
                <>
                  {' '}
                  with <code>{<Exact text={group.program} />}</code>
                </>
              )}
            </h2>
          </div>
          <p className="why">Each is listed as it would run. Uncheck what should wait.</p>
          <div className="members">
            {group.members.map((ask) => (
              <Member
                key={ask.ask_id}
                ask={ask}
                session={sessions.get(ask.session_id)}
                isTaken={taken.has(ask.ask_id)}
                isNew={!listed.has(ask.ask_id)}
                onToggle={() => toggle(ask.ask_id)}
              />
            ))}
          </div>
        </div>
      </div>
      <footer className="actions">
        <div className="actions-in">
          {isDenying && (
            <div>
              <label className="label" htmlFor="group-reason">
                Why not? Each agent is told. <span className="muted">Optional</span>
              </label>
              <textarea
                id="group-reason"
                className="field"
                value={reason}
                ref={focused}
                onChange={(event) => setReason(event.target.value)}
              />
            </div>
          )}
          <div className="buttons">
            {!isDenying && (
              <button
                type="button"
                className="button primary"
                disabled={isSending || chosen.length === 0}
                onClick={() => decide('allow')}
              >
                <Check className="icon" /> Allow {chosen.length} {inRuns}
              </button>
            )}
            <button
              type="button"
              className={`button danger ${isDenying ? 'primary' : ''}`}
              disabled={isSending || chosen.length === 0}
              onClick={() => (isDenying ? decide('deny') : setDenying(true))}
            >
              <X className="icon" /> Deny {chosen.length} <Key>d</Key>
            </button>
          </div>
        </div>
      </footer>
    </article>
  );
}

interface MemberProps {
  ask: AskView;
  session: SessionView | undefined;
  isTaken: boolean;
  isNew: boolean;
  onToggle: () => void;
}

function Member({ ask, session, isTaken, isNew, onToggle }: MemberProps) {
  const place = useSighting<HTMLLabelElement>(ask, true);
  return (
    <label className="member" ref={place}>
      <input type="checkbox" checked={isTaken} onChange={onToggle} />
      <pre>
        <Exact text={inFull(ask.request as ApprovalRequest)} />
      </pre>
      <span />
      <span className="tiny muted">
        {isNew && <span className="chip warn">new</span>}{' '}
        {session ? `${agentName(session)} · ${sessionName(session)}` : ''}
      </span>
    </label>
  );
}

/** Only what the server judged is known not to have been decided. */
function batchSentence({ text, isJudged }: Refused, count: number): string {
  if (count === 1) return text;
  return isJudged ? `None of the ${count} of one run was decided: ${text}` : `${count} of one run: ${text}`;
}

/** A lone text as itself; everything else with all it says. */
function inFull({ input }: ApprovalRequest): string {
  const [only, ...others] = Object.values(input);
  return typeof only === 'string' && others.length === 0 ? only : JSON.stringify(input, undefined, 2);
}

/** The person has just asked for this field. */
const focused = (field: HTMLElement | null): void => field?.focus();
