// Writing to a session: what is written answers the thread's open prompt, else it is input for the next run. Says which
// before it is sent, sends nothing while an answer is on its way, and is closed while a form waits, when the session has
// ended, or where nobody would hear it.
import { SendHorizontal } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { AskView, ItemView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useMayAnswer } from '../hooks/me.ts';
import { useKeptText } from '../hooks/stored-text.ts';
import { useSending } from '../hooks/submission.ts';
import { hasMoved, ON_ITS_WAY, openPrompt, promptIdOf } from '../state/thread-prompt.ts';
import { isQuestion, summary } from '../text/ask-text.ts';
import { agentName, isAttached } from './crumbs.tsx';
import { NoReply, Refusal } from './refusal.tsx';

interface ComposerProps {
  session: SessionView;
  /** What is pending in this session, oldest first. */
  pending: readonly AskView[];
  /** What the thread shows: all of it, or nobody could say what would be answered. */
  items: readonly ItemView[];
}

export function Composer({ session, pending, items }: ComposerProps) {
  const kept = `holdpoint-composer-${session.session_id}`;
  const [text, setText] = useKeptText(kept);
  const shown = openPrompt(items);
  const onItsWay = shown !== undefined && pending.every(({ ask_id }) => ask_id !== promptIdOf(shown));
  const prompt = pending.find(({ ask_id }) => shown && ask_id === promptIdOf(shown)) ?? pending[0];
  const asked = onItsWay ? ON_ITS_WAY : (prompt?.ask_id ?? '');
  // What is written is meant for what was asked when it was begun, also after a reload.
  const [begunFor, setBegunFor] = useKeptText(`${kept}-for`);
  const [warning, setWarning] = useState<string>();
  const { isSending, isSlow, refused, send, isUnsure, forget } = useSending(`composer-${session.session_id}`);
  const mayAnswer = useMayAnswer();
  const closed = closedBy(session, pending, prompt, mayAnswer);
  if (closed !== undefined) return <p className="composer-closed">{closed}</p>;

  const write = (next: string) => {
    if (text === '') setBegunFor(asked);
    // Whoever begins anew means to say it anew.
    if (next.trim() === '') forget();
    setText(next);
  };
  const itemFor = (askId: string) => ({
    content: [{ type: 'text' as const, text }],
    metadata: { prompt: askId === '' ? null : { prompt_id: askId } },
  });
  // It may have been taken, whatever is asked meanwhile: the same is sent again, and is refused if it was not.
  const isAgain = isUnsure(itemFor(begunFor));
  const isHeldBack = isSending || (onItsWay && !isAgain) || text.trim() === '';
  const post = async () => {
    if (isHeldBack) return;
    const isMoved = !isAgain && hasMoved(begunFor, asked);
    setWarning(isMoved ? warningOf(begunFor) : undefined);
    if (!isAgain) setBegunFor(asked);
    if (isMoved) return;
    const item = itemFor(isAgain ? begunFor : asked);
    const refusal = await send(item, (options) => api.threads.post(session.thread_id, item, options));
    if (!refusal) return setText('');
    if (refusal.isJudged) setBegunFor(asked);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void post();
  };
  return (
    <form className="composer" onSubmit={submit}>
      <Refusal refused={refused} isSlow={isSlow} />
      {isAgain && !isSending && !refused && (
        <NoReply>It may be in the thread already: sent again unchanged, it is there once.</NoReply>
      )}
      {warning !== undefined && (
        <p className="error" role="alert">
          {warning}
        </p>
      )}
      <label className="tiny muted" htmlFor="composer">
        {onItsWay ? NOT_TAKEN_YET : meaningOf(prompt)}
      </label>
      <div className="composer-row">
        <textarea
          id="composer"
          className="field"
          rows={2}
          value={text}
          placeholder={onItsWay ? 'Your next message' : prompt ? 'Your answer' : 'Message the agent'}
          onChange={(event) => write(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            // A key held down is not a second thought about a warning.
            if (!event.repeat) void post();
          }}
        />
        <button type="submit" className="button primary" disabled={isHeldBack} aria-label="Send">
          <SendHorizontal className="icon" />
        </button>
      </div>
    </form>
  );
}

const NOT_TAKEN_YET =
  'The last answer is on its way to the agent. You can write; send it when the agent has the answer.';

const warningOf = (begunFor: string): string => {
  const forAnAsk = begunFor !== '' && begunFor !== ON_ITS_WAY;
  const when = forAnAsk ? 'for something that has ended' : 'before this was asked';
  return `Not sent: what you wrote was begun ${when}. Read what it would do now, then send it again.`;
};

function closedBy(
  session: SessionView,
  pending: readonly AskView[],
  prompt: AskView | undefined,
  mayAnswer: boolean,
): string | undefined {
  if (!mayAnswer) return 'This browser was signed in to look, not to write.';
  if (session.status === 'ended')
    return isAttached(session)
      ? `This session has ended. If ${agentName(session)} goes on, it asks at its terminal only.`
      : 'This session has ended. Start a new run to go on.';
  if (pending.some((ask) => ask.mode === 'form'))
    return 'A form waits for an answer above. Submit or decline it before you write anything else.';
  if (prompt && asksSecret(prompt)) return 'A secret is asked for. Give it above, where it is masked and kept nowhere.';
  if (!prompt && isAttached(session))
    return `Nothing is asked now. ${agentName(session)} takes only answers from here: type the rest at its terminal.`;
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
