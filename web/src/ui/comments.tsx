// Shows the comments on a request and the agent's replies, and takes another comment. A comment decides nothing: it has a
// call of its own, and the request stays open. Says where the agent is not told. What was not sent when the request ended
// stays, to be copied.
import { MessageSquare } from 'lucide-react';
import { lazy, Suspense, useId, useLayoutEffect, useRef, useState } from 'react';
import { commentReaders } from '../../../src/client/comment-readers.ts';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useCommands } from '../hooks/commands.ts';
import { useMayAnswer } from '../hooks/me.ts';
import { useStoredText } from '../hooks/stored-text.ts';
import { useSubmission } from '../hooks/submission.ts';
import { agentName } from '../text/session-text.ts';
import { oneLine } from '../text/visible.ts';
import { Age } from './age.tsx';
import { Prose } from './text.tsx';
import './comments.css';

const MarkdownText = lazy(() => import('./markdown.tsx'));

const LONGEST = 10_000;

interface CommentsProps {
  ask: AskView;
  session: SessionView | undefined;
  hasKeys: boolean;
}

export function Comments({ ask, session, hasKeys }: CommentsProps) {
  const mayComment = useMayAnswer() && ask.status === 'pending';
  const [text, setText] = useStoredText(`holdpoint-comment-${ask.ask_id}`);
  const [isOpen, setOpen] = useState(text !== '');
  const { isSending, refusal, send } = useSubmission(`comment-${ask.ask_id}`);
  const field = useRef<HTMLTextAreaElement>(null);
  const noteId = useId();
  const { comments = [] } = ask;
  const isAsked = useRef(false);
  const open = () => {
    isAsked.current = true;
    setOpen(true);
    field.current?.focus();
  };
  // At once: what is typed after the key that opens it belongs in it.
  useLayoutEffect(() => {
    if (isOpen && isAsked.current) field.current?.focus();
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    setText('');
  };
  useCommands(hasKeys ? { ...(mayComment && { comment: open }), ...(isOpen && { back: () => setOpen(false) }) } : {});
  const submit = async () => {
    const said = text.trim();
    if (said === '' || isSending || !mayComment) return;
    const failed = await send({ text: said }, (options) => api.asks.comment(ask.ask_id, said, options));
    if (!failed) close();
  };
  if (!mayComment && !isOpen && comments.length === 0) return null;
  const agent = session && agentName(session);
  return (
    <div className="comments">
      {comments.length > 0 && (
        <ol>
          {comments.map(({ comment_id, role, by, at_ms, text: said }) => (
            <li key={comment_id} className={role}>
              <span className="tiny muted">
                {oneLine(by)}
                {role === 'agent' && ' (agent)'} <Age atMs={at_ms} />
              </span>
              <Suspense fallback={<Prose text={said} />}>
                <MarkdownText text={said} />
              </Suspense>
            </li>
          ))}
        </ol>
      )}
      {mayComment && !isOpen && (
        <button type="button" className="button quiet small" onClick={open}>
          <MessageSquare className="icon" /> Comment
        </button>
      )}
      {isOpen && (
        <div className="comment-form">
          <label>
            <span className="small">
              {mayComment ? 'Comment. The request stays open.' : 'Your comment was not sent: the request has ended.'}
            </span>
            <textarea
              ref={field}
              className="field"
              rows={2}
              maxLength={LONGEST}
              value={text}
              placeholder={ask.takes_comments ? 'Why? Show me first…' : 'A note for the others'}
              aria-describedby={noteId}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
              }}
            />
          </label>
          <p className="tiny muted" id={noteId} hidden={!mayComment}>
            {commentReaders(ask, agent)}.{!ask.takes_comments && ' To tell it something, deny with a reason.'}
          </p>
          {refusal && <p className="notice bad">{refusal.text}</p>}
          <div className="comment-actions">
            <button
              type="button"
              className="button small"
              disabled={isSending || !mayComment || text.trim() === ''}
              onClick={() => void submit()}
            >
              Send comment
            </button>
            <button type="button" className="button quiet small" onClick={close}>
              Discard
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
