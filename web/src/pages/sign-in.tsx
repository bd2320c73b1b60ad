// Signs the browser in with the code of a link. The code is removed from the address before the first render, so that it
// stays in no history, and is posted only when the person submits the form: opening the link alone changes nothing.
import { type SubmitEvent, useState } from 'react';
import { HoldpointProblem } from '../../../src/client/http.ts';
import type { MeView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { StandalonePage } from '../ui/standalone-page.tsx';
import './sign-in.css';

const NAME_KEY = 'holdpoint-name';

export default function SignInPage({
  code,
  onSignedIn,
}: {
  code: string | undefined;
  onSignedIn: (me: MeView) => void;
}) {
  const [name, setName] = useState(() => localStorage.getItem(NAME_KEY) ?? '');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (code === undefined) return;
    setBusy(true);
    try {
      const me = await api.signIn.use({ code, ...(name.trim() && { name: name.trim() }) });
      localStorage.setItem(NAME_KEY, name.trim());
      onSignedIn(me);
    } catch (error) {
      setProblem(error instanceof HoldpointProblem ? error.detail : (error as Error).message);
      setBusy(false);
    }
  };
  return (
    <StandalonePage>
      {code === undefined ? (
        <HowToSignIn />
      ) : (
        <form className="sign-in-form" onSubmit={submit}>
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
              ref={focus}
              onChange={(event) => setName(event.target.value)}
            />
            <p className="small muted" id="name-note">
              Shown next to your answers. (Optional)
            </p>
          </div>
          <button type="submit" className="button primary" disabled={isBusy}>
            Sign in
          </button>
        </form>
      )}
      {problem !== undefined && (
        <p role="alert" className="notice bad">
          {problem}
        </p>
      )}
    </StandalonePage>
  );
}

const focus = (field: HTMLElement | null): void => field?.focus();

const COMMAND = 'holdpoint sign-in';

const HowToSignIn = () => (
  <>
    <h1>This browser is not signed in</h1>
    <p className="muted">On the server, run this and open the link. Each link works once.</p>
    <div className="sign-in-command">
      <code>{COMMAND}</code>
      <CopyButton text={COMMAND} />
    </div>
  </>
);
