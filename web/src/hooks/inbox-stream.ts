// Feeds the inbox from the event stream. A chunk of its own, fetched while the sign-in is checked: the first drawing does
// without it.
import { followInbox } from '../../../src/client/inbox-feed.ts';
import {
  actedOn,
  completed,
  isOpen,
  raised,
  sessionSeen,
  settled,
  sighted,
  swept,
  undelivered,
} from '../../../src/client/inbox-model.ts';
import type { AskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { repeatOf } from '../state/asked-again.ts';
import { lateSentence } from '../state/refusal.ts';
import { heading, isNotTaken, summary } from '../text/ask-text.ts';
import { isSignedOut } from '../text/signed-out.ts';
import { currentInbox, isInUse, markStale, tellDraft, update } from './live-inbox.ts';
import { tellExpired, tellNotDelivered, tellTooLate } from './missed-notice.ts';
import { preferences } from './preferences.ts';
import { followShared } from './shared-stream.ts';
import { announce, endLink } from './toasts.ts';
import { forgetTouched } from './touched-asks.ts';
import { dropHeld, tellLapsed } from './undo.ts';

const SWEEP_MS = 1000;
const RETRY_MS = 2000;

const openAsk = (askId: string) =>
  currentInbox().entries.find((entry) => isOpen(entry) && entry.ask.ask_id === askId)?.ask;

/** What this person answered and no agent took, while its row is listed. */
const ownUndelivered = (me: string) =>
  currentInbox()
    .entries.map(({ ask }) => ask)
    .filter((ask) => isNotTaken(ask) && ask.answer?.answered_by === me);

function tellNew(asks: readonly AskView[]): void {
  announce(asks.map(({ request }) => `New: ${heading(request)}: ${summary(request)}`).join('. '));
  import('./notifications.ts').then(({ notifyOf }) => notifyOf(asks)).catch(() => {});
  if (preferences().sound) import('./sound.ts').then(({ chime }) => chime()).catch(() => {});
}

/** Runs until the signal aborts or the browser is signed out; any other refusal is retried. `me`: the person at this page. */
export async function followLiveInbox(signal: AbortSignal, me: string, onSignedOut: () => void): Promise<void> {
  if (signal.aborted) return;
  tellLapsed();
  const sweeping = setInterval(() => update(swept(currentInbox(), Date.now(), isInUse)), SWEEP_MS);
  signal.addEventListener('abort', () => clearInterval(sweeping));
  while (!signal.aborted) {
    // Events may have been missed since the last attempt: all asks are listed anew.
    update({ ...currentInbox(), entries: [] });
    try {
      await followInbox(
        api,
        {
          raised(asks, isNews) {
            if (signal.aborted) return;
            update(raised(currentInbox(), asks));
            if (!isNews) return;
            for (const ask of ownUndelivered(me)) {
              const again = repeatOf(ask, currentInbox().entries);
              if (asks.some(({ ask_id }) => ask_id === again?.ask_id)) tellNotDelivered(ask, again);
            }
            tellNew(asks);
          },
          settled(askId, answer) {
            endLink(askId, 0);
            const ask = openAsk(askId);
            if (ask && dropHeld(askId)) tellTooLate(ask, lateSentence(answer, ask.request));
            else if (ask && answer.outcome === 'expired') tellExpired(ask);
            update(settled(currentInbox(), askId, answer, Date.now()));
            import('./notifications.ts').then(({ closeNotification }) => closeNotification(askId)).catch(() => {});
            // This person may have answered in another window, or with a post in the thread.
            if (answer.answered_by === me) forgetTouched(askId);
          },
          completed: (ask) => update(completed(currentInbox(), ask)),
          seen: (askId, sighting) => update(sighted(currentInbox(), askId, sighting)),
          acted: (askId, type, act, atMs) => update(actedOn(currentInbox(), askId, type, act, atMs)),
          session: (session) => update(sessionSeen(currentInbox(), session)),
          link(link) {
            const inbox = currentInbox();
            update({ ...inbox, link, isLoaded: inbox.isLoaded || link === 'live' });
            // Draft notices are not replayed after a reconnect.
            if (link === 'live') markStale([['draft']]);
          },
          event({ type, session_id, ask_id, data }) {
            // A sighting is applied to the inbox directly and changes nothing that was fetched.
            if (type === 'ask.seen') return;
            if (type === 'ask.undeliverable' && ask_id) {
              update(undelivered(currentInbox(), ask_id, data.reason));
              const own = ownUndelivered(me).find((ask) => ask.ask_id === ask_id);
              if (own) tellNotDelivered(own);
            }
            markStale([['sessions'], ['session', session_id], ...(ask_id ? [['ask', ask_id]] : [])]);
          },
          draft: tellDraft,
        },
        signal,
        followShared,
      );
    } catch (error) {
      if (isSignedOut(error)) return onSignedOut();
      update({ ...currentInbox(), link: 'lost' });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
