// An approval: what will run, in full, why it is asked, and what can be done: allow it once, allow it together with what
// the agent suggests, edit it first, or deny it with a reason.
import { Check, Pencil, TriangleAlert, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ApprovalAskView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useCommands } from '../hooks/commands.ts';
import { useDraft } from '../hooks/draft.ts';
import { type Refused, useSending } from '../hooks/submission.ts';
import { editable, readEdit } from '../state/edit-input.ts';
import { earlierSentence } from '../text/ask-text.ts';
import { isPlan } from '../text/plan-text.ts';
import { isLong } from './action.tsx';
import type { Frame } from './card-frame.tsx';
import { CopyButton } from './code.tsx';
import { agentName } from './crumbs.tsx';
import { FolderFact } from './folder-fact.tsx';
import { Key } from './key.tsx';
import { Proposal } from './proposal.tsx';
import { Refusal, SavedNote } from './refusal.tsx';
import { Suggestions } from './suggestions.tsx';
import { Exact } from './text.tsx';

interface ApprovalCardProps {
  ask: ApprovalAskView;
  session: SessionView | undefined;
  hasKeys: boolean;
  frame: Frame;
  onDone: (what: 'Allowed' | 'Denied') => void;
  onRefused: (refused: Refused) => void;
}

export function ApprovalCard({ ask, session, hasKeys, frame, onDone, onRefused }: ApprovalCardProps) {
  const { request } = ask;
  const original = editable(request.input);
  const unedited = original.text;
  const folder = request.work_folder ?? session?.work_folder;
  const [mode, setMode] = useState<'look' | 'edit' | 'deny'>('look');
  const [reason, setReason] = useState('');
  const [edit, setEdit] = useState(original.text);
  const [isWhole, setWhole] = useState(false);
  const { isSending, isSlow, refused, send } = useSending(`ask-${ask.ask_id}`);
  const { taken, state, save, hold } = useDraft(ask.ask_id);
  const isTouched = useRef(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const wantsField = useRef(false);
  const edited = readEdit(edit, original.key);
  const isAPlan = isPlan(request);
  const mayEdit = Object.keys(request.input).length > 0;

  useEffect(() => {
    if (!taken || (isTouched.current && !taken.isNews)) return;
    const { reason: why = '', updated_input: input } = taken.content;
    setReason(why);
    setEdit(input ?? unedited);
    if (input !== undefined) setMode('edit');
    else if (why !== '') setMode('deny');
  }, [taken, unedited]);
  // Only for who asked for it: a draft that comes back must not take the keys away.
  useEffect(() => {
    if (mode !== 'look' && wantsField.current) field.current?.focus();
  }, [mode]);
  const open = (next: 'edit' | 'deny') => {
    wantsField.current = true;
    setMode(next);
  };

  const keep = (change: { reason?: string; edit?: string }) => {
    isTouched.current = true;
    const next = { reason, edit, ...change };
    save({
      ...(next.reason !== '' && { reason: next.reason }),
      ...(next.edit !== original.text && { updated_input: next.edit }),
    });
  };
  const decide = async (resolution: object, done: 'Allowed' | 'Denied') => {
    const resolutions = [{ request_id: ask.ask_id, ...resolution }] as Parameters<
      typeof api.approvals.decideRun
    >[1]['resolutions'];
    const draft = hold();
    const refusal = await send(resolutions, (options) => api.approvals.decideRun(ask.run_id, { resolutions }, options));
    if (!refusal) {
      draft.drop();
      return onDone(done);
    }
    draft.release();
    onRefused(refusal);
  };
  const allow = (suggestionIds: string[] = []) => {
    if (isSending || mode === 'deny') return;
    if (isLong(request) && !isWhole) return setWhole(true);
    if (mode === 'edit') {
      if (edited.input && edit !== original.text)
        void decide({ behavior: 'allow', updated_input: edited.input }, 'Allowed');
      return;
    }
    const taken = suggestionIds.length > 0 ? { suggestion_ids: suggestionIds } : {};
    void decide({ behavior: 'allow', ...taken }, 'Allowed');
  };
  const deny = () => {
    if (isSending) return;
    if (mode !== 'deny') return open('deny');
    void decide({ behavior: 'deny', ...(reason.trim() !== '' && { reason: reason.trim() }) }, 'Denied');
  };
  useCommands(
    hasKeys
      ? {
          allow: () => allow(),
          deny,
          ...(mayEdit && { edit: () => open('edit') }),
          ...(mode !== 'look' && { back: () => setMode('look') }),
        }
      : {},
  );
  const withCtrlEnter = (act: () => void) => (event: React.KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    act();
  };

  const body = (
    <>
      <div className="card-title">
        <h2>
          {isAPlan ? (
            'Begin with this plan?'
          ) : (
            <>
              Allow <code>{<Exact text={request.tool_name} />}</code>?
            </>
          )}
        </h2>
      </div>
      {request.earlier && (
        <p className="notice">
          <TriangleAlert className="icon" /> {earlierSentence(request.earlier)}
        </p>
      )}
      <Proposal request={request} folder={folder} isWhole={isWhole} onWhole={() => setWhole(true)} />
      {isAPlan && <p className="small muted">{AFTER_THE_PLAN}</p>}
      {isLong(request) && isWhole && (
        <p className="notice">
          <TriangleAlert className="icon" /> This is all of it. Look through it before you allow it.
        </p>
      )}
      <dl className="facts">
        <FolderFact folder={folder} />
        <dt>Asked because</dt>
        <dd>{whyOf(session)}</dd>
        <dt>Digest</dt>
        <dd className="with-copy">
          <code title={request.digest}>{request.digest.slice(0, 23)}…</code>{' '}
          <CopyButton text={request.digest} label="Copy the digest" />
        </dd>
      </dl>
      {mode === 'look' && (
        <Suggestions
          askId={ask.ask_id}
          suggestions={request.suggestions ?? []}
          isDisabled={isSending}
          onTake={(id) => allow([id])}
        />
      )}
    </>
  );
  const actions = (
    <>
      {mode === 'edit' && (
        <div>
          <label className="label" htmlFor={`edit-${ask.ask_id}`}>
            {original.key === undefined ? 'The input that may run, as JSON' : 'The command that may run'}
          </label>
          <textarea
            id={`edit-${ask.ask_id}`}
            ref={field}
            className="field editor"
            value={edit}
            spellCheck={false}
            aria-invalid={edited.problem !== undefined}
            aria-describedby={`edit-problem-${ask.ask_id}`}
            onChange={(event) => {
              setEdit(event.target.value);
              keep({ edit: event.target.value });
            }}
            onKeyDown={withCtrlEnter(() => allow())}
          />
          <p id={`edit-problem-${ask.ask_id}`} className="error" hidden={edited.problem === undefined}>
            {edited.problem}
          </p>
        </div>
      )}
      {mode === 'deny' && (
        <div>
          <label className="label" htmlFor={`reason-${ask.ask_id}`}>
            Why not? The agent is told. <span className="muted">Optional</span>
          </label>
          <textarea
            id={`reason-${ask.ask_id}`}
            ref={field}
            className="field"
            value={reason}
            placeholder="Do this instead: …"
            onChange={(event) => {
              setReason(event.target.value);
              keep({ reason: event.target.value });
            }}
            onKeyDown={withCtrlEnter(deny)}
          />
        </div>
      )}
      <Refusal refused={refused} isSlow={isSlow} />
      <div className="buttons">
        {mode === 'look' && (
          <>
            <button type="button" className="button primary" disabled={isSending} onClick={() => allow()}>
              <Check className="icon" /> Allow once {hasKeys && <Key>a</Key>}
            </button>
            {mayEdit && (
              <button type="button" className="button" disabled={isSending} onClick={() => open('edit')}>
                <Pencil className="icon" /> Edit {hasKeys && <Key>e</Key>}
              </button>
            )}
            <button type="button" className="button danger" disabled={isSending} onClick={deny}>
              <X className="icon" /> Deny {hasKeys && <Key>d</Key>}
            </button>
          </>
        )}
        {mode === 'edit' && (
          <button
            type="button"
            className="button primary"
            disabled={isSending || edited.problem !== undefined || edit === original.text}
            onClick={() => allow()}
          >
            <Check className="icon" /> Allow as edited
          </button>
        )}
        {mode === 'deny' && (
          <button type="button" className="button primary danger" disabled={isSending} onClick={deny}>
            <X className="icon" /> Deny
          </button>
        )}
        {mode !== 'look' && (
          <button type="button" className="button quiet" onClick={() => setMode('look')}>
            Back {hasKeys && <Key>Esc</Key>}
          </button>
        )}
        <SavedNote state={state} />
      </div>
    </>
  );
  return frame(body, actions, isWhole || !isLong(request));
}

const AFTER_THE_PLAN =
  'Allowed, it leaves plan mode and begins; from then on its permission mode decides what it asks for.';

function whyOf(session: SessionView | undefined): string {
  const asker = session ? agentName(session) : 'the agent';
  return `${asker} does not do this unasked, and no rule here decided it (permissions “${session?.permissions ?? 'approval'}”)`;
}
