// Sends a post to a session's thread: it answers the open prompt, or is input for the next run; or comments on the prompt,
// which stays open. Says which of them before it is sent, and sends nothing whose effect has changed since it was started.
import { MessageSquare, Play, SendHorizontal } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { AskView, ItemView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useMayAnswer } from '../hooks/me.ts';
import { storeText, useStoredText } from '../hooks/stored-text.ts';
import { useSubmission } from '../hooks/submission.ts';
import {
  hasNewTarget,
  IN_DELIVERY,
  NO_PROMPT,
  openPrompt,
  type PostTarget,
  promptIdOf,
} from '../state/thread-prompt.ts';
import { closedText, effectText, IN_DELIVERY_TEXT, targetChangedText } from '../text/composer-text.ts';
import { Key } from './key.tsx';
import { submitKeys } from './reason-field.tsx';
import { NoReplyNotice, RefusalNotice } from './refusal-notice.tsx';
import './composer.css';

interface ComposerProps {
  session: SessionView;
  /** The session's pending asks, oldest first. */
  pending: readonly AskView[];
  /** All items of the thread: without them it is unknown what a post would answer. */
  items: readonly ItemView[];
  /** Its agent runs commands and takes no messages. */
  isShell: boolean;
  /** Opens the form for a new run. */
  onNewRun: (() => void) | undefined;
}

export function Composer({ session, pending, items, isShell, onNewRun }: ComposerProps) {
  const storageKey = `holdpoint-composer-${session.session_id}`;
  const [text, setText] = useStoredText(storageKey);
  const shown = openPrompt(items);
  const isInDelivery = shown !== undefined && pending.every(({ ask_id }) => ask_id !== promptIdOf(shown));
  const prompt = pending.find(({ ask_id }) => shown && ask_id === promptIdOf(shown)) ?? pending[0];
  const target: PostTarget = isInDelivery ? IN_DELIVERY : (prompt?.ask_id ?? NO_PROMPT);
  // A text is meant for what was asked when it was started, also after a reload.
  const [startedFor, setStartedFor] = useStoredText(`${storageKey}-for`);
  const [warning, setWarning] = useState<string>();
  const { isSending, isSlow, refusal, send, isUnsure, forget } = useSubmission(`composer-${session.session_id}`);
  const mayAnswer = useMayAnswer();
  const closed = closedText(session, pending, prompt, mayAnswer);
  if (isShell && mayAnswer) return <ShellFoot session={session} onNewRun={onNewRun} />;
  if (closed !== undefined) return <p className="composer-closed">{closed}</p>;

  const write = (next: string) => {
    if (text === '') setStartedFor(target);
    // A text that is cleared and typed again is a new post.
    if (next.trim() === '') forget();
    setText(next);
  };
  const postTo = (to: PostTarget) => ({
    content: [{ type: 'text' as const, text }],
    metadata: { prompt: to === NO_PROMPT ? null : { prompt_id: to } },
  });
  // The first attempt may have been carried out: it is repeated unchanged, whatever is asked meanwhile.
  const isRetry = isUnsure(postTo(startedFor));
  const isDisabled = isSending || (isInDelivery && !isRetry) || text.trim() === '';
  const post = (content: ReturnType<typeof postTo>) =>
    send(content, (options) => api.threads.post(session.thread_id, content, options));
  const comment = async () => {
    const said = { comment: text.trim(), on: target };
    return send(said, (options) => api.asks.comment(target, said.comment, options));
  };
  // What was tried before is sent again as it was.
  const question = isRetry || isInDelivery ? undefined : prompt;
  const submit = async (isComment = false) => {
    if (isDisabled) return;
    const isChanged = !isRetry && hasNewTarget(startedFor, target);
    setWarning(isChanged ? targetChangedText(startedFor) : undefined);
    if (!isRetry) setStartedFor(target);
    if (isChanged) return;
    const refused = await (isComment ? comment() : post(postTo(isRetry ? startedFor : target)));
    if (!refused) return setText('');
    if (refused.isFinal) setStartedFor(target);
  };
  return (
    <form
      className="composer"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void submit();
      }}
    >
      <RefusalNotice refusal={refusal} isSlow={isSlow} />
      {isRetry && !isSending && !refusal && (
        <NoReplyNotice>It may be in the thread already: sent again unchanged, it is there once.</NoReplyNotice>
      )}
      {warning !== undefined && (
        <p className="error" role="alert">
          {warning}
        </p>
      )}
      <label className="tiny muted" htmlFor="composer">
        {isInDelivery ? IN_DELIVERY_TEXT : effectText(prompt)}
      </label>
      <div className="composer-row">
        <textarea
          id="composer"
          className="field"
          rows={2}
          value={text}
          placeholder={isInDelivery ? 'Your next message' : prompt ? 'Your answer, or a comment' : 'Message the agent'}
          onChange={(event) => write(event.target.value)}
          // A key that repeats does not confirm a warning.
          onKeyDown={(event) => event.repeat || submitKeys(() => void submit())(event)}
        />
        <button
          type="submit"
          className="button primary"
          disabled={isDisabled}
          aria-label={question && 'Answer with this text'}
        >
          <SendHorizontal className="icon" /> {question ? 'Answer' : 'Send'} <Key>Ctrl ↵</Key>
        </button>
        {question && (
          <button
            type="button"
            className="button"
            disabled={isDisabled}
            aria-label="Comment with this text"
            onClick={() => void submit(true)}
          >
            <MessageSquare className="icon" /> Comment
          </button>
        )}
      </div>
    </form>
  );
}

/** Each command is a run of its own. */
function ShellFoot({ session, onNewRun }: Pick<ComposerProps, 'session' | 'onNewRun'>) {
  const open = () => {
    storeText('holdpoint-run-agent', session.agent);
    storeText('holdpoint-run-folder', session.work_folder ?? '');
    onNewRun?.();
  };
  return (
    <p className="composer-closed">
      This session runs a command and takes no messages.{' '}
      {onNewRun && (
        <button type="button" className="button" onClick={open}>
          <Play className="icon" /> {session.work_folder === undefined ? 'New run' : 'New run in this folder'}
        </button>
      )}
    </p>
  );
}
