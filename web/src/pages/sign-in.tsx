// Signing in: takes the code out of the address at once, so that it stays in no history, and posts it when the person
// says so. Opening the link alone changes nothing.
import { type SubmitEvent, useState } from 'react';
import { HoldpointProblem } from '../../../src/client/http.ts';
import type { MeView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { CopyButton } from '../ui/code.tsx';
import { Mark } from '../ui/nav.tsx';

const NAME = 'holdpoint-name';

/** Call it once, before the first render. */
export function takeCode(): string | undefined {
  if (location.pathname !== '/sign-in' || location.hash.length < 2) return undefined;
  const code = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, '', '/sign-in');
  return code;
}

export function SignInPage({ code, onSignedIn }: { code: string | undefined; onSignedIn: (me: MeView) => void }) {
  const [name, setName] = useState(() => localStorage.getItem(NAME) ?? '');
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (code === undefined) return;
    setBusy(true);
    try {
      const me = await api.signIn.use({ code, ...(name.trim() && { name: name.trim() }) });
      localStorage.setItem(NAME, name.trim());
      onSignedIn(me);
    } catch (error) {
      setProblem(error instanceof HoldpointProblem ? error.detail : (error as Error).message);
      setBusy(false);
    }
  };
  return (
    <main className="sign-in">
      <div className="sign-in-box">
        <div className="brand">
          <Mark /> Holdpoint
        </div>
        {code === undefined ? (
          <HowTo />
        ) : (
          <form onSubmit={submit}>
            <h1>Sign in</h1>
            <div>
              <label className="label" htmlFor="name">
                Your name
              </label>
              <input
                id="name"
                name="name"
                className="field"
                maxLength={128}
                autoComplete="nickname"
                value={name}
                aria-describedby="name-note"
                ref={ready}
                onChange={(event) => setName(event.target.value)}
              />
              <p className="small muted" id="name-note">
                Others see it beside your answers.
              </p>
            </div>
            <button type="submit" className="button primary" disabled={busy}>
              Sign in
            </button>
          </form>
        )}
        {problem !== undefined && (
          <p role="alert" className="notice bad">
            {problem}
          </p>
        )}
      </div>
    </main>
  );
}

/** Whoever comes by the keyboard types their name, or just presses Enter. */
const ready = (field: HTMLElement | null): void => field?.focus();

const COMMAND = 'holdpoint sign-in';

const HowTo = () => (
  <>
    <h1>This browser is not signed in</h1>
    <p className="muted">Run this on the machine of the server and open the link it prints. It works once.</p>
    <div className="copy">
      <code>{COMMAND}</code>
      <CopyButton text={COMMAND} />
    </div>
  </>
);
