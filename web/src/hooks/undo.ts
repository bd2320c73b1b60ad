// Holds an allow back for a few seconds, in which it can be undone: what was undone is opened again where it was decided.
// Where the page is closed, left or suspended meanwhile, or what was decided is changed, it is not sent: an allow is sent in
// sight of the person or not at all. The next page in the tab tells it. Whether the gesture was an accident is checked when
// it is made.
import { navigate } from 'wouter/use-browser-location';
import { isPlan, isQuestion } from '../../../src/client/action-summary.ts';
import { isOpen } from '../../../src/client/inbox-model.ts';
import type { AskView } from '../../../src/core/views.ts';
import { pauseMs } from '../state/undo-pause.ts';
import { useNow } from './clock.ts';
import { movedByItself } from './gesture.ts';
import { currentInbox } from './live-inbox.ts';
import { preferences } from './preferences.ts';
import { focusCard } from './row-focus.ts';
import { storeText } from './stored-text.ts';
import { dismissToast, lastingToast, toast } from './toasts.ts';
import { mark, setUndoneGroup } from './unsent.ts';

/** A timer that fires later than this was stopped with its page: a locked phone, a laptop asleep, a page gone back to. */
const LATE_MS = 3000;

interface Hold {
  askIds: readonly string[];
  what: string;
  /** Where it was decided. */
  address: string;
  /** The shape of the group that was decided together. */
  group: string | undefined;
  end(isSent: boolean): void;
}

let holds: readonly Hold[] = [];

function pauseAt(asks: readonly AskView[], nowMs: number): number {
  const open = currentInbox().entries.filter(isOpen);
  return preferences().undo
    ? pauseMs(
        asks,
        open.map(({ ask }) => ask),
        nowMs,
      )
    : 0;
}

/** There is no time for the pause that there otherwise is: the button says so. */
export function useLeavesAtOnce(asks: readonly AskView[]): boolean {
  const now = useNow();
  return preferences().undo && pauseAt(asks, now) === 0;
}

/**
 * Resolves to whether it may be sent: at once where the pause is switched off or would end too late. `what` is allowed.
 * `onHeld`: there is a pause, in which the person may go on. `group`: the shape of what is decided together.
 */
export function holdBack(
  asks: readonly AskView[],
  what: string,
  onHeld?: () => void,
  group?: string,
): Promise<boolean> {
  const verb = asks.some(({ request }) => !isQuestion(request) && isPlan(request)) ? 'Approving' : 'Allowing';
  const shownMs = pauseAt(asks, Date.now());
  if (shownMs === 0) return Promise.resolve(true);
  const askIds = asks.map(({ ask_id }) => ask_id);
  return new Promise((resolve) => {
    mark(askIds, `${verb}…`);
    const hold: Hold = {
      askIds,
      what,
      address: here(),
      group,
      end(isSent) {
        clearTimeout(timer);
        removeEventListener('pagehide', leave);
        dismissToast(shown);
        holds = holds.filter((other) => other !== hold);
        mark(askIds);
        resolve(isSent);
      },
    };
    const href = askIds.length === 1 ? `/asks/${askIds[0]}` : '/';
    const lapse = () => {
      hold.end(false);
      lastingToast(`Not sent, because this page was suspended: ${what}`, { label: 'Open', href });
    };
    const leave = () => {
      lapse();
      storeLapsed([...storedLapsed(), { what, href }]);
      // The browser brings this very page back, with what it says.
      addEventListener('pageshow', () => storeLapsed([]), { once: true });
    };
    holds = [...holds, hold];
    addEventListener('pagehide', leave);
    const dueAtMs = Date.now() + shownMs;
    const shown = toast(`${verb}: ${what}`, 'wait', {
      action: { label: 'Undo', key: 'z', run: () => undo(hold), shownMs },
    });
    const timer = setTimeout(() => (Date.now() - dueAtMs < LATE_MS ? hold.end(true) : lapse()), shownMs);
    onHeld?.();
  });
}

/** Undoes the last allow that has not left. */
export function undoLast(): void {
  const last = holds.at(-1);
  if (last) undo(last);
  else toast('Nothing to undo. What was sent cannot be taken back.', 'warn');
}

/** An allow that was held back when its page was left, until the next page in this tab has told it. */
interface Lapsed {
  what: string;
  href: string;
}

const LAPSED_KEY = 'holdpoint-lapsed';
const storedLapsed = (): readonly Lapsed[] => JSON.parse(sessionStorage.getItem(LAPSED_KEY) ?? '[]');
const storeLapsed = (lapsed: readonly Lapsed[]): void =>
  storeText(LAPSED_KEY, lapsed.length > 0 ? JSON.stringify(lapsed) : '');

/** For a page that was loaded after the one before was closed, reloaded or left during the pause. */
export function tellLapsed(): void {
  const lapsed = storedLapsed();
  storeLapsed([]);
  for (const { what, href } of lapsed)
    lastingToast(`Not sent, because the page was left too soon: ${what}`, { label: 'Open', href });
}

const here = (): string => location.pathname + location.search;

function undo({ end, what, address, group, askIds }: Hold): void {
  end(false);
  toast(`Undone. Nothing was sent: ${what}`, 'warn');
  const isElsewhere = here() !== address;
  // A key that was meant for the request after it decides nothing about this one.
  if (!focusCard(group === undefined ? askIds[0] : undefined, isElsewhere)) movedByItself();
  if (group !== undefined) setUndoneGroup({ shape: group, askIds });
  if (isElsewhere) navigate(address, { replace: location.pathname.startsWith('/asks/') });
}

/** What the allow of this ask would send is being changed. While it is held back it is not sent any more. */
export function takeBack(askId: string): void {
  const hold = holds.find(({ askIds }) => askIds.includes(askId));
  if (!hold) return;
  hold.end(false);
  toast(`Not sent, because you changed it: ${hold.what}. Allow it again when it is right.`, 'warn');
}

/** The ask ended while its allow was held back, which is not sent any more. Returns whether it was. */
export function dropHeld(askId: string): boolean {
  const hold = holds.find(({ askIds }) => askIds.length === 1 && askIds[0] === askId);
  hold?.end(false);
  return hold !== undefined;
}
