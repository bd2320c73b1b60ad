// Who is there: the sign-in page for strangers, the inbox for everyone else.
import { useEffect, useState } from 'react';
import type { MeView } from '../../src/core/views.ts';
import { api, isStranger } from './api.ts';
import { SignInPage } from './pages/sign-in.tsx';

type Person = 'unknown' | 'nobody' | MeView;

export function App({ code: given }: { code: string | undefined }) {
  const [code, setCode] = useState(given);
  const [person, setPerson] = useState<Person>(code === undefined ? 'unknown' : 'nobody');
  useEffect(() => {
    if (person !== 'unknown') return;
    if (isStranger()) setPerson('nobody');
    else api.signIn.me().then(setPerson, () => setPerson('nobody'));
  }, [person]);
  if (person === 'unknown') return null;
  const enter = (me: MeView) => {
    history.replaceState(null, '', '/');
    setCode(undefined);
    setPerson(me);
  };
  if (person === 'nobody') return <SignInPage code={code} onSignedIn={enter} />;
  const leave = () => api.signIn.out().finally(() => setPerson('nobody'));
  return (
    <main>
      <h1>Holdpoint</h1>
      <p>Signed in as {person.name}.</p>
      <button type="button" onClick={leave}>
        Sign out
      </button>
    </main>
  );
}
