// Signing in: takes the code out of the address at once, so that it stays in no history, and posts it when the person
// says so. Opening the link alone changes nothing.
import { type SubmitEvent, useState } from 'react';
import { HoldpointProblem } from '../../../src/client/http.ts';
import type { MeView } from '../../../src/core/views.ts';
import { api } from '../api.ts';

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
      <h1>Holdpoint</h1>
      {code === undefined ? (
        <p>
          This browser is not signed in. Run <code>holdpoint sign-in</code> on the machine of the server and open the
          link it prints.
        </p>
      ) : (
        <form onSubmit={submit}>
          <label>
            Your name, as others see it beside your answers
            <input name="name" maxLength={128} value={name} onChange={(event) => setName(event.target.value)} />
          </label>
          <button type="submit" disabled={busy}>
            Sign in
          </button>
        </form>
      )}
      {problem !== undefined && <p role="alert">{problem}</p>}
    </main>
  );
}
