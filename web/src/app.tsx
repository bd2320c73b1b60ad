// The frame of every page: who is signed in, the live feed, the keys that work everywhere, and which page is shown. The
// inbox comes with the first script; every other page and dialog when it is opened.
import { lazy, Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import type { MeView } from '../../src/core/views.ts';
import { api, isStranger } from './api.ts';
import { showBadge } from './hooks/badge.ts';
import { listenToKeys, useCommands } from './hooks/commands.ts';
import { live, useInbox } from './hooks/live-inbox.ts';
import { Me, useMayAnswer } from './hooks/me.ts';
import { notifyOf } from './hooks/notifications.ts';
import { leaveBegun } from './hooks/touched-asks.ts';
import { InboxPage } from './pages/inbox.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { waitingCount } from './state/inbox.ts';
import { heading, summary } from './text/ask-text.ts';
import { isSignedOut } from './text/failure.ts';
import { Mark, Nav } from './ui/nav.tsx';
import { announce, Toasts } from './ui/toasts.tsx';

const SessionsPage = lazy(() => import('./pages/sessions.tsx'));
const SessionPage = lazy(() => import('./pages/session.tsx'));
const HistoryPage = lazy(() => import('./pages/history.tsx'));
const InsightsPage = lazy(() => import('./pages/insights.tsx'));
const NoPage = lazy(() => import('./pages/no-page.tsx'));
const Help = lazy(() => import('./ui/help.tsx'));
const NewRun = lazy(() => import('./ui/new-run.tsx'));
const More = lazy(() => import('./ui/more.tsx'));

const AGAIN_MS = 1000;
const SLOW_MS = 700;

type Person = 'unknown' | 'nobody' | MeView;

export function App({ code: given }: { code: string | undefined }) {
  const [code, setCode] = useState(given);
  const [person, setPerson] = useState<Person>(code === undefined ? 'unknown' : 'nobody');
  const [tries, setTries] = useState(0);
  const [isSlow, setSlow] = useState(false);
  const [, navigate] = useLocation();
  const signedOut = useCallback(() => setPerson('nobody'), []);
  useEffect(() => {
    if (person !== 'unknown') return;
    if (isStranger()) return setPerson('nobody');
    const slow = setTimeout(() => setSlow(true), SLOW_MS);
    api.signIn.me().then(setPerson, (error: unknown) => {
      if (isSignedOut(error)) setPerson('nobody');
      else setTimeout(() => setTries(tries + 1), AGAIN_MS);
    });
    return () => clearTimeout(slow);
  }, [person, tries]);
  // Who has signed in elsewhere in this browser meanwhile is let in here too.
  useEffect(() => {
    if (person !== 'nobody' || code !== undefined) return;
    const look = () => isStranger() || setPerson('unknown');
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [person, code]);
  if (person === 'unknown') return isSlow ? <Away /> : null;
  const enter = (me: MeView) => {
    navigate('/', { replace: true });
    setCode(undefined);
    setPerson(me);
  };
  if (person === 'nobody') return <SignInPage code={code} onSignedIn={enter} />;
  return (
    <Me value={person}>
      <Frame me={person} onSignedOut={signedOut} />
    </Me>
  );
}

const Away = () => (
  <main className="sign-in" role="status">
    <div className="sign-in-box">
      <div className="brand">
        <Mark /> Holdpoint
      </div>
      <p>The server cannot be reached, or is slow to answer. This page goes on by itself when it does.</p>
    </div>
  </main>
);

function Frame({ me, onSignedOut }: { me: MeView; onSignedOut: () => void }) {
  const inbox = useInbox();
  const [open, setOpen] = useState<'help' | 'run' | 'more'>();
  const count = waitingCount(inbox);
  const close = useCallback(() => setOpen(undefined), []);
  const openRun = useCallback(() => setOpen('run'), []);
  // Who may only look is not offered it.
  const newRun = useMayAnswer() ? openRun : undefined;

  useLayoutEffect(() => {
    const stop = new AbortController();
    listenToKeys(stop.signal);
    return () => stop.abort();
  }, []);
  const following = useRef<AbortController>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    following.current = stop;
    void live(stop.signal, {
      news(asks) {
        announce(asks.map(({ request }) => `New: ${heading(request)}: ${summary(request)}`).join('. '));
        notifyOf(asks);
      },
      // Also from another window, or by a text in the thread.
      settled: (askId, { answered_by }) => answered_by === me.name && leaveBegun(askId),
      signedOut: onSignedOut,
    });
    return () => stop.abort();
  }, [onSignedOut, me.name]);
  useEffect(() => showBadge(count), [count]);
  useEffect(() => () => showBadge(0), []);
  useCommands({ help: () => setOpen('help'), ...(newRun && { 'new-run': newRun }) });

  const leave = () => {
    // The stream ends with the sign-in; following it further would be refused.
    following.current?.abort();
    void api.signIn.out().finally(onSignedOut);
  };
  const settings = { link: inbox.link, name: me.name, onHelp: () => setOpen('help'), onSignOut: leave };
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <div className="shell">
        <Nav {...settings} count={count} onNewRun={newRun} onMore={() => setOpen('more')} />
        <main className="page" id="main" tabIndex={-1}>
          <Suspense fallback={null}>
            <Switch>
              <Route path="/sessions">
                <SessionsPage onNewRun={newRun} />
              </Route>
              <Route path="/sessions/:id">{({ id }) => <SessionPage key={id} id={id} />}</Route>
              <Route path="/history">
                <HistoryPage />
              </Route>
              <Route path="/insights">
                <InsightsPage />
              </Route>
              <Route path="/asks/*?">
                <InboxPage onNewRun={newRun} />
              </Route>
              <Route path="/">
                <InboxPage onNewRun={newRun} />
              </Route>
              <Route>
                <NoPage />
              </Route>
            </Switch>
          </Suspense>
        </main>
      </div>
      {inbox.link === 'lost' && (
        <p className="no-link" role="status">
          No connection to the server. Is it running? This page goes on by itself.
        </p>
      )}
      <Toasts />
      <Suspense fallback={null}>
        {open === 'help' && <Help onClose={close} />}
        {open === 'run' && <NewRun onClose={close} />}
        {open === 'more' && <More {...settings} onClose={close} />}
      </Suspense>
    </>
  );
}
