// Answers a question that has expired, as the text of a new run in its session. The expired question stays as it is: the
// text names it, and nothing of it counts as its answer.
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { QuestionAskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useFetched } from '../hooks/queries.ts';
import { useSubmission } from '../hooks/submission.ts';
import { lateAnswerText } from '../state/late-answer.ts';
import { EXTERNAL_AGENT } from '../text/session-text.ts';
import './late-answer.css';

export function LateAnswer({ ask, draft }: { ask: QuestionAskView; draft: string }) {
  const { session_id } = ask;
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState<string>();
  const { data } = useFetched({ queryKey: ['session', session_id], queryFn: () => api.sessions.get(session_id) });
  const { isSending, refusal, send } = useSubmission(`late-${ask.ask_id}`);
  const text = typed ?? draft;
  // A program of the user's own starts its runs itself.
  if (!data || data.status === 'ended' || data.agent === EXTERNAL_AGENT) return null;
  if (ask.request.questions.some(({ secret }) => secret)) return null;
  const submit = async () => {
    const input = { text: lateAnswerText(ask.request.questions, text.trim()) };
    if (await send(input, (options) => api.runs.start(session_id, { input, source: 'web' }, options))) return;
    navigate(`/sessions/${session_id}`);
  };
  return (
    <section className="late-answer" aria-label="Answer as a new run">
      <label>
        <span className="small">Answer as a new run. The agent is told what you are answering.</span>
        <textarea className="field" rows={3} value={text} onChange={(event) => setTyped(event.target.value)} />
      </label>
      {refusal && <p className="notice bad">{refusal.text}</p>}
      <button type="button" className="button" disabled={isSending || text.trim() === ''} onClick={() => void submit()}>
        Send as a new run
      </button>
    </section>
  );
}
