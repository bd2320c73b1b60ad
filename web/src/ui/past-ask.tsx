// Fetches and shows an ask that is not in the inbox: it ended before the page was loaded, or does not exist.
import type { SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useFetched } from '../hooks/queries.ts';
import { failureText } from '../text/failure.ts';
import AskCard from './ask-card.tsx';
import { MissingPage } from './missing-page.tsx';

interface PastAskProps {
  askId: string;
  sessions: ReadonlyMap<string, SessionView>;
  onBack: () => void;
  /** The page that it goes back to. */
  backTo?: string;
}

export default function PastAsk({ askId, sessions, onBack, backTo = 'Inbox' }: PastAskProps) {
  const { data, error } = useFetched({ queryKey: ['ask', askId], queryFn: () => api.asks.get(askId) });
  const sessionId = data?.session_id;
  const session = useFetched({
    queryKey: ['session', sessionId],
    queryFn: () => api.sessions.get(sessionId ?? ''),
    enabled: sessionId !== undefined && !sessions.has(sessionId),
  });
  if (error)
    return (
      <MissingPage href="/history" label="Search the history">
        <p className="notice bad">{failureText(error)}</p>
      </MissingPage>
    );
  if (!data) return null;
  const known = session.data ? new Map(sessions).set(session.data.session_id, session.data) : sessions;
  return (
    <AskCard
      ask={data}
      sessions={known}
      isInline={false}
      hasKeys={false}
      onBack={onBack}
      backTo={backTo}
      onDone={() => {}}
    />
  );
}
