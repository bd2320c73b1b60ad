// Frames every page: owns the sign-in state, the connection to the live inbox, global keys and routes. The inbox is part of
// the first script; every other page and dialog is a chunk of its own.
import { lazy, Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { openCount } from '../../src/client/inbox-model.ts';
import type { MeView } from '../../src/core/views.ts';
import { api, hasNoSignIn } from './api.ts';
import { aimNow, listenToKeys, useCommands } from './hooks/commands.ts';
import { closeDialog, listenForDialog, openDialog, useDialog } from './hooks/dialog.ts';
import { listenToGestures } from './hooks/gesture.ts';
import { useInbox } from './hooks/live-inbox.ts';
import { Me, useMayAnswer } from './hooks/me.ts';
import { listenToPresses } from './hooks/press.ts';
import { listenToLostFocus } from './hooks/row-focus.ts';
import { useUnreachedWatch } from './hooks/unreached.ts';
import { InboxPage } from './pages/inbox.tsx';
import { ROUTES } from './routes.ts';
import { isSignedOut } from './text/signed-out.ts';
import { Nav } from './ui/nav.tsx';
import { StandalonePage } from './ui/standalone-page.tsx';
import './app.css';

const Toasts = lazy(() => import('./ui/toasts.tsx'));
const SignInPage = lazy(() => import('./pages/sign-in.tsx'));
const SessionsPage = lazy(() => import('./pages/sessions.tsx'));
const SessionPage = lazy(() => import('./pages/session.tsx'));
const HistoryPage = lazy(() => import('./pages/history.tsx'));
const InsightsPage = lazy(() => import('./pages/insights.tsx'));
const NotificationsPage = lazy(() => import('./pages/notifications.tsx'));
const RulesPage = lazy(() => import('./pages/rules.tsx'));
const NoPage = lazy(() => import('./pages/no-page.tsx'));
const Help = lazy(() => import('./ui/help.tsx'));
const NewRun = lazy(() => import('./ui/new-run.tsx'));
const Palette = lazy(() => import('./ui/palette.tsx'));
const SettingsPage = lazy(() => import('./pages/settings.tsx'));
const More = lazy(() => import('./ui/more.tsx'));

/** Fetched while the sign-in is checked. */
const stream = import('./hooks/inbox-stream.ts');
stream.catch(() => {});

const RETRY_MS = 1000;
const SLOW_MS = 700;

/** Loaded on demand: it draws an icon that nothing else needs. While the server is away, the old one stays. */
const badge = (count: number, path = '/'): void =>
  void import('./hooks/badge.ts').then(({ showBadge }) => showBadge(count, path)).catch(() => {});

const openHelp = (): void => openDialog({ name: 'help' });
const openRun = (): void => openDialog({ name: 'run' });

type SignInState = 'unknown' | 'signed-out' | MeView;

export function App({ code: given }: { code: string | undefined }) {
  const [code, setCode] = useState(given);
  const [signIn, setSignIn] = useState<SignInState>(code === undefined ? 'unknown' : 'signed-out');
  const [attempt, setAttempt] = useState(0);
  const [isSlow, setSlow] = useState(false);
  const [, navigate] = useLocation();
  const signedOut = useCallback(() => setSignIn('signed-out'), []);
  useEffect(() => {
    if (signIn !== 'unknown') return;
    if (hasNoSignIn()) return setSignIn('signed-out');
    const slow = setTimeout(() => setSlow(true), SLOW_MS);
    api.signIn.me().then(setSignIn, (error: unknown) => {
      if (isSignedOut(error)) setSignIn('signed-out');
      else setTimeout(() => setAttempt(attempt + 1), RETRY_MS);
    });
    return () => clearTimeout(slow);
  }, [signIn, attempt]);
  // A sign-in in another tab signs this one in too.
  useEffect(() => {
    if (signIn !== 'signed-out' || code !== undefined) return;
    const recheck = () => hasNoSignIn() || setSignIn('unknown');
    addEventListener('focus', recheck);
    return () => removeEventListener('focus', recheck);
  }, [signIn, code]);
  if (signIn === 'unknown') return isSlow ? <ServerAway /> : null;
  const enter = (me: MeView) => {
    navigate('/', { replace: true });
    setCode(undefined);
    setSignIn(me);
  };
  if (signIn === 'signed-out')
    return (
      <Suspense fallback={null}>
        <SignInPage code={code} onSignedIn={enter} />
      </Suspense>
    );
  return (
    <Me value={signIn}>
      <Frame me={signIn} onSignedOut={signedOut} />
    </Me>
  );
}

const ServerAway = () => (
  <StandalonePage role="status">
    <p>Can’t reach the server. Reconnecting…</p>
  </StandalonePage>
);

function Frame({ me, onSignedOut }: { me: MeView; onSignedOut: () => void }) {
  const inbox = useInbox();
  const dialog = useDialog();
  const count = openCount(inbox);
  // A viewer may not start runs.
  const newRun = useMayAnswer() ? openRun : undefined;

  useLayoutEffect(() => {
    const stop = new AbortController();
    listenForDialog(stop.signal);
    // Before the gestures, which stop some clicks.
    listenToPresses(stop.signal);
    listenToGestures(stop.signal);
    listenToKeys(stop.signal);
    listenToLostFocus(stop.signal);
    return () => stop.abort();
  }, []);
  const [unfetched, setUnfetched] = useState<unknown>();
  // The error boundary reloads the page once the server is back.
  if (unfetched !== undefined) throw unfetched;
  const following = useRef<AbortController>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    following.current = stop;
    stream.then(({ followLiveInbox }) => followLiveInbox(stop.signal, me.name, onSignedOut), setUnfetched);
    return () => stop.abort();
  }, [onSignedOut, me.name]);
  const [path] = useLocation();
  useEffect(() => badge(count, path), [count, path]);
  useUnreachedWatch(count);
  useEffect(() => {
    import('./hooks/push.ts').then(({ renewPush }) => renewPush(me.token_id)).catch(() => {});
  }, [me.token_id]);
  useEffect(() => () => badge(0), []);
  useCommands({
    help: openHelp,
    palette: () => openDialog({ name: 'palette', aim: aimNow() }),
    ...(newRun && { 'new-run': newRun }),
  });

  const signOut = () => {
    // The server ends the stream with the sign-in and would refuse to reopen it.
    following.current?.abort();
    void api.signIn.out().finally(onSignedOut);
  };
  const settings = { link: inbox.link, name: me.name, onHelp: openHelp, onSignOut: signOut };
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <div className="shell">
        <Nav {...settings} count={count} onNewRun={newRun} onMore={() => openDialog({ name: 'more' })} />
        <main className="page" id="main" tabIndex={-1}>
          <Suspense fallback={null}>
            <Switch>
              <Route path={ROUTES.sessions}>
                <SessionsPage onNewRun={newRun} />
              </Route>
              <Route path={ROUTES.session}>{({ id }) => <SessionPage key={id} id={id} onNewRun={newRun} />}</Route>
              <Route path={ROUTES.history}>{({ id }) => <HistoryPage askId={id} />}</Route>
              <Route path={ROUTES.insights}>
                <InsightsPage />
              </Route>
              <Route path={ROUTES.settings}>
                <SettingsPage onSignOut={signOut} />
              </Route>
              <Route path={ROUTES.notifications}>
                <NotificationsPage />
              </Route>
              <Route path={ROUTES.rules}>
                <RulesPage />
              </Route>
              <Route path={ROUTES.ask}>
                <InboxPage onNewRun={newRun} />
              </Route>
              <Route path={ROUTES.inbox}>
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
          Can’t reach the server. Reconnecting…
        </p>
      )}
      <Suspense fallback={null}>
        <Toasts />
      </Suspense>
      <Suspense fallback={null}>
        {dialog?.name === 'help' && <Help onClose={closeDialog} />}
        {dialog?.name === 'run' && <NewRun onClose={closeDialog} />}
        {dialog?.name === 'palette' && <Palette aim={dialog.aim} onClose={closeDialog} />}
        {dialog?.name === 'more' && <More {...settings} onClose={closeDialog} />}
      </Suspense>
    </>
  );
}
