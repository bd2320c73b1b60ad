// Says on a card who was notified of its request, when and how; or that nobody could be.
import type { AskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useNow } from '../hooks/clock.ts';
import { useFetched } from '../hooks/queries.ts';
import { useIsUnreached } from '../hooks/unreached.ts';
import { toldText } from '../text/told-text.ts';

const LOOK_MS = 5000;

export function ToldLine({ ask }: { ask: AskView }) {
  const now = useNow();
  const { data } = useFetched({
    queryKey: ['ask', ask.ask_id, 'notices'],
    queryFn: async () => (await api.asks.get(ask.ask_id)).notices ?? [],
    enabled: ask.status === 'pending',
    // Notices are in no stream; they are looked at again while some are under way.
    refetchInterval: ({ state }) => (state.data?.some((each) => each.due_at_ms !== undefined) ? LOOK_MS : false),
  });
  const text = toldText(data ?? [], now, useIsUnreached(ask.ask_id));
  return text && <p className={`small ${text.isBad ? 'notice bad' : 'muted'}`}>{text.text}</p>;
}
