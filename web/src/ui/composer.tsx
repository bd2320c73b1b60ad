// Writing to a session: what is written answers the thread's open prompt, else it is input for the next run. Says which
// before it is sent, and is closed while a form waits or when the session has ended.
import { SendHorizontal } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useMayAnswer } from '../state/me.ts';
import { useSending } from '../state/sending.ts';
import { isQuestion, summary } from '../text/ask-text.ts';
import { Refusal } from './refusal.tsx';

interface ComposerProps {
  session: SessionView;
  /** What is pending in this session, oldest first. */
  pending: readonly AskView[];
}

export function Composer({ session, pending }: ComposerProps) {
  const kept = `holdpoint-composer-${session.session_id}`;
  const [text, setText] = useState(() => sessionStorage.getItem(kept) ?? '');
  const [prompt] = pending;
  const asked = prompt?.ask_id;
  // What is written is meant for what was asked when it was begun.
  const [begunFor, setBegunFor] = useState(asked);
  const [isWarned, setWarned] = useState(false);
  const { isSending, isSlow, refused, send } = useSending();
  useEffect(() => {
    if (text === '') sessionStorage.removeItem(kept);
    else sessionStorage.setItem(kept, text);
  }, [kept, text]);
  const mayAnswer = useMayAnswer();
  const closed = closedBy(session, pending, mayAnswer);
  if (closed !== undefined) return <p className="composer-closed">{closed}</p>;

  const write = (next: string) => {
    if (text === '') setBegunFor(asked);
    setText(next);
  };
  const post = async () => {
    if (isSending || text.trim() === '') return;
    const hasMoved = begunFor !== asked;
    setWarned(hasMoved);
    setBegunFor(asked);
    if (hasMoved) return;
    const content = [{ type: 'text' as const, text }];
    const metadata = { prompt: prompt ? { prompt_id: prompt.ask_id } : null };
    if (await send((options) => api.threads.post(session.thread_id, { content, metadata }, options))) setText('');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void post();
  };
  return (
    <form className="composer" onSubmit={submit}>
      <Refusal refused={refused} isSlow={isSlow} />
      {isWarned && (
        <p className="error" role="alert">
          Not sent: what you wrote was begun for something that has ended. Read what it would answer now, then send it
          again.
        </p>
      )}
      <label className="tiny muted" htmlFor="composer">
        {meaningOf(prompt)}
      </label>
      <div className="composer-row">
        <textarea
          id="composer"
          className="field"
          rows={2}
          value={text}
          placeholder={prompt ? 'Your answer' : 'Message the agent'}
          onChange={(event) => write(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void post();
          }}
        />
        <button type="submit" className="button primary" disabled={isSending || text.trim() === ''} aria-label="Send">
          <SendHorizontal className="icon" />
        </button>
      </div>
    </form>
  );
}

function closedBy(session: SessionView, pending: readonly AskView[], mayAnswer: boolean): string | undefined {
  if (!mayAnswer) return 'This browser was signed in to look, not to write.';
  if (session.status === 'ended') return 'This session has ended. Start a new run to go on.';
  if (pending.some((ask) => ask.mode === 'form'))
    return 'A form waits for an answer above. Submit or decline it before you write anything else.';
  if (pending[0] && asksSecret(pending[0]))
    return 'A secret is asked for. Give it above, where it is masked and kept nowhere.';
  return undefined;
}

const asksSecret = ({ request }: AskView): boolean => isQuestion(request) && request.questions.some((q) => q.secret);

function meaningOf(prompt: AskView | undefined): string {
  if (!prompt) return 'Starts the next run, or waits for it.';
  const { request } = prompt;
  if (!isQuestion(request)) return `Answers “${summary(request)}”: approve or deny. Anything else denies.`;
  const [only] = request.questions;
  if (request.questions.length > 1) return 'Answers the questions, one line each: 1) … 2) …';
  const how = (only?.options.length ?? 0) > 0 ? 'a number, an option, or your own words' : 'in your own words';
  return `Answers “${summary(request)}”: ${how}.`;
}
