// Decides similar approvals together: each is listed in full, any can be left out, and one atomic batch is sent for
// each run. A batch that is refused is reported and leaves the others as they are.
import { ArrowLeft, Check, CircleAlert, X } from 'lucide-react';
import { useId, useLayoutEffect, useState } from 'react';
import { type ApprovalGroup, batchesOf, MARKED } from '../../../src/client/approval-groups.ts';
import { hasNoSigns } from '../../../src/client/risk-text.ts';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useCommands } from '../hooks/commands.ts';
import { accident, movedByItself } from '../hooks/gesture.ts';
import { idempotencyKeys } from '../hooks/idempotency-keys.ts';
import { isShownNow, useReading, useSighting, useUnshown } from '../hooks/sighting.ts';
import { useStoredText } from '../hooks/stored-text.ts';
import { toast } from '../hooks/toasts.ts';
import { holdBack, takeBack } from '../hooks/undo.ts';
import { mark, onItsWay, useUnsent } from '../hooks/unsent.ts';
import { partsOf } from '../state/action-parts.ts';
import { type Refusal, refusalOf } from '../state/refusal.ts';
import { aloneWhy } from '../text/decided-alone.ts';
import { headlineOf } from '../text/headline.ts';
import { AskLine } from './ask-line.tsx';
import { AllowAllText } from './button-text.tsx';
import { Card, CardTitle } from './card-frame.tsx';
import { HiddenNote } from './code.tsx';
import { Crumbs } from './crumbs.tsx';
import { HeadlineText } from './headline.tsx';
import { Key } from './key.tsx';
import { ReadingNote } from './reading-note.tsx';
import { ReasonField } from './reason-field.tsx';
import { RiskSigns } from './risk-signs.tsx';
import { Scripts } from './scripts.tsx';
import { SeenBy } from './seen-by.tsx';
import { Exact, Prose } from './text.tsx';
import { UnshownFiles } from './unshown-files.tsx';
import './group-card.css';

interface GroupCardProps {
  group: ApprovalGroup;
  /** What the person has selected; not all of it can be decided together. */
  marked: readonly AskView[];
  /** Without these, all of them. */
  checkedIds: readonly string[] | undefined;
  /** The page shows it, because this card unmounts when too few are left for a group. */
  onRefused: (text: string | undefined) => void;
  sessions: ReadonlyMap<string, SessionView>;
  onBack: () => void;
  /** The allow of these is held back, and can be undone: the person may go on. */
  onHeld: (held: readonly AskView[]) => void;
  onDone: (decided: readonly AskView[]) => void;
}

export default function GroupCard(props: GroupCardProps) {
  const { group, marked, checkedIds, sessions, onBack, onHeld, onDone, onRefused } = props;
  // An approval that arrives after the card was opened is listed unchecked.
  const [initial] = useState<ReadonlySet<string>>(() => new Set(group.members.map(({ ask_id }) => ask_id)));
  const [checked, setChecked] = useState<ReadonlySet<string>>(() => (checkedIds ? new Set(checkedIds) : initial));
  const [isDenying, setDenying] = useState(false);
  const [reason, setReason] = useStoredText(`holdpoint-group-${group.shape}`);
  const [isSending, setSending] = useState(false);
  // When too few are left, the card of one request takes its place, with its buttons where these were.
  useLayoutEffect(() => movedByItself, []);
  const unsent = useUnsent();
  const shownChecked = group.members.filter(({ ask_id }) => checked.has(ask_id));
  // What is held back or on its way is decided already.
  const chosen = shownChecked.filter(({ ask_id }) => !unsent.has(ask_id));
  const counted = (chosen.length > 0 ? chosen : shownChecked).length;
  const countOf = counted === group.members.length ? `all ${counted}` : `${counted} of ${group.members.length}`;
  const leftOut = group.shape === MARKED ? marked.filter((ask) => !group.members.includes(ask)) : [];
  const unshownIds = useUnshown(chosen);
  const isRead = unshownIds.length === 0;
  // Once they did not fit it is said to the end, so that no button moves.
  const rest = useReading(unshownIds[0] ?? '');
  const [isCut, setCut] = useState(false);
  if (!isCut && rest?.isCut) setCut(true);

  const decide = async (behavior: 'allow' | 'deny') => {
    if (isSending || chosen.length === 0) return;
    if (behavior === 'allow' && !unshownIds.every(isShownNow)) return toast('Read to the end to allow them.', 'warn');
    const why = accident();
    onRefused(why);
    if (why !== undefined) return;
    setSending(true);
    const isWanted = () => holdBack(chosen, `${chosen.length} requests`, () => onHeld(chosen), group.shape);
    if (behavior === 'allow' && !(await isWanted())) return setSending(false);
    mark(
      chosen.map(({ ask_id }) => ask_id),
      'Sending…',
    );
    const decided: AskView[] = [];
    const given = behavior === 'deny' && reason.trim() !== '' ? { reason: reason.trim() } : {};
    for (const { runId, asks, resolutions } of batchesOf(chosen, ({ ask_id }) => ({
      request_id: ask_id,
      behavior,
      ...given,
    }))) {
      const keys = idempotencyKeys(`batch-${runId}`);
      const idempotencyKey = keys.keyFor(JSON.stringify(resolutions));
      try {
        const sentIds = asks.map(({ ask_id }) => ask_id);
        await onItsWay(sentIds, api.approvals.decideRun(runId, { resolutions }, { idempotencyKey }));
        decided.push(...asks);
        keys.clear();
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal.isFinal) keys.clear();
        onRefused(batchSentence(refusal, resolutions.length));
      }
    }
    setSending(false);
    if (decided.length === chosen.length) setReason('');
    if (decided.length === 0) return;
    toast(`${behavior === 'allow' ? 'Allowed' : 'Denied'} ${decided.length}`, behavior === 'allow' ? 'good' : 'plain');
    onDone(decided);
  };
  /** What is sent is what was on the screen last: a change takes back the allow that is held back. */
  const takeBackHeld = (...askIds: readonly string[]) => {
    for (const askId of isSending ? [...askIds, ...checked] : askIds) takeBack(askId);
  };
  const deny = () => {
    if (isDenying) return void decide('deny');
    takeBackHeld();
    setDenying(true);
  };
  useCommands({ deny, back: () => (isDenying ? setDenying(false) : onBack()) });
  const toggle = (askId: string) => {
    takeBackHeld(askId);
    const next = new Set(checked);
    if (!next.delete(askId)) next.add(askId);
    setChecked(next);
  };
  const body = (
    <>
      <div>
        <button type="button" className="button quiet" onClick={onBack}>
          <ArrowLeft className="icon" /> Back {!isDenying && <Key>Esc</Key>}
        </button>
      </div>
      <CardTitle>
        {group.members.length} <GroupName group={group} />
        {group.folder !== undefined && (
          <>
            {' '}
            in{' '}
            <code>
              <Exact text={group.folder} />
            </code>
          </>
        )}
      </CardTitle>
      <p className="muted">What you uncheck stays in the inbox.</p>
      {leftOut.length > 0 && <LeftOut asks={leftOut} />}
      <div className="members">
        {group.members.map((ask) => (
          <Member
            key={ask.ask_id}
            ask={ask}
            sessions={sessions}
            isChecked={checked.has(ask.ask_id)}
            unsent={unsent.get(ask.ask_id)}
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
          label="Reason (sent to each agent)"
          value={reason}
          hasFocus
          isReadOnly={isSending}
          onChange={setReason}
          onSubmit={deny}
        />
      )}
      {isCut && (
        <ReadingNote
          text={isRead ? 'All were shown.' : `${chosen.length - unshownIds.length} of ${chosen.length} were shown.`}
          isRead={isRead}
          onRest={rest && (() => rest.readOn())}
        />
      )}
      <div className="buttons">
        {!isDenying && (
          <button
            type="button"
            className={`button ${chosen.every(hasNoSigns) ? 'primary' : ''}`}
            disabled={isDisabled || !isRead}
            title={isRead ? undefined : 'Read to the end to allow them'}
            onClick={() => decide('allow')}
          >
            <Check className="icon" /> <AllowAllText asks={chosen} countOf={countOf} />
          </button>
        )}
        <button
          type="button"
          className={`button danger ${isDenying ? 'primary' : ''}`}
          disabled={isDisabled}
          onClick={deny}
        >
          <X className="icon" /> Deny {countOf} <Key>{isDenying ? 'Ctrl ↵' : 'd'}</Key>
        </button>
        {isDenying && (
          <button type="button" className="button quiet" onClick={() => setDenying(false)}>
            Cancel <Key>Esc</Key>
          </button>
        )}
      </div>
    </>
  );
  return <Card label="Similar requests" body={body} actions={actions} />;
}

/** `npm run` commands, `Fetch` requests; what a person has selected may be of any kind. */
function GroupName({ group: { shape, tool, program } }: Pick<GroupCardProps, 'group'>) {
  if (shape === MARKED) return 'selected requests';
  return (
    <>
      <code>
        <Exact text={program ?? tool} />
      </code>{' '}
      {program === undefined ? 'requests' : 'commands'}
    </>
  );
}

interface MemberProps {
  ask: AskView;
  sessions: ReadonlyMap<string, SessionView>;
  isChecked: boolean;
  /** It is decided already: held back, or on its way. */
  unsent: string | undefined;
  isNew: boolean;
  onToggle: () => void;
}

/** Selected, and not in the group. */
const LeftOut = ({ asks }: { asks: readonly AskView[] }) => (
  <div className="notice">
    <CircleAlert className="icon" />
    <div>
      {asks.length === 1 ? 'One that you selected is' : `${asks.length} that you selected are`} not here, and decided
      alone:
      <ul className="bullets">
        {asks.map((ask) => (
          <li key={ask.ask_id}>
            <AskLine ask={ask} /> <span className="muted">({aloneWhy(ask)})</span>
          </li>
        ))}
      </ul>
    </div>
  </div>
);

/** All of it is in view: the tool and what it acts on, every field, the folder, the reason, and where it comes from. */
function Member({ ask, sessions, isChecked, unsent, isNew, onToggle }: MemberProps) {
  const element = useSighting<HTMLDivElement>(ask, true);
  const id = useId();
  if (ask.kind !== 'approval') return null;
  const { request } = ask;
  const folder = request.work_folder ?? sessions.get(ask.session_id)?.work_folder;
  const { description, ...input } = request.input;
  const { boxes, fields } = partsOf(description === request.reason ? input : request.input);
  const { key: named } = headlineOf(request);
  return (
    <div className="member" ref={element}>
      <input type="checkbox" id={id} checked={isChecked} disabled={unsent === 'Sending…'} onChange={onToggle} />
      <label htmlFor={id}>
        <span className="member-part member-head">
          <HeadlineText request={request} folder={folder} />
        </span>
        {[...boxes, ...fields.filter(({ key }) => key !== named)].map(({ key, text }) => (
          <span key={key} className="member-part">
            <HiddenNote text={text} />
            {key !== 'command' && <span className="tiny muted">{key}</span>}
            <code>
              <Exact text={text} />
            </code>
          </span>
        ))}
      </label>
      <div className="member-facts small">
        <RiskSigns ask={ask} />
        {request.reason !== '' && (
          <p className="muted">
            <Prose text={request.reason} />
          </p>
        )}
        <Scripts request={request} folder={folder} isWhole onWhole={() => {}} />
        <UnshownFiles request={request} />
        {folder !== undefined && (
          <p>
            in{' '}
            <code>
              <Exact text={folder} />
            </code>
          </p>
        )}
        {isNew && <span className="chip warn">new</span>}
        {unsent !== undefined && <span className="chip">{unsent}</span>}
        <Crumbs ask={ask} sessions={sessions} />
        <SeenBy ask={ask} />
      </div>
    </div>
  );
}

/** Only what the server refused is known not to have been decided. */
function batchSentence({ text, isFinal }: Refusal, count: number): string {
  if (count === 1) return text;
  return isFinal
    ? `None of the ${count} requests of one run was decided: ${text}`
    : `${count} requests of one run: ${text}`;
}
