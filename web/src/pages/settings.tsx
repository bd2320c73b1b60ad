// Lists this browser's preferences and the devices that are signed in.

import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api.ts';
import { useMayAnswer, useMe } from '../hooks/me.ts';
import { type Preferences, prefer, usePreferences } from '../hooks/preferences.ts';
import { useFetched } from '../hooks/queries.ts';
import { applyTheme, chosenTheme, THEMES, type Theme } from '../hooks/theme.ts';
import { failureText } from '../text/failure.ts';
import { oneLine } from '../text/visible.ts';
import { Age } from '../ui/age.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Filters } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';
import './settings.css';

const THEME_LABELS: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' };

type Switch = readonly [name: 'shortcuts' | 'undo' | 'sound', label: string, explained: string];
const SWITCHES: readonly Switch[] = [
  ['shortcuts', 'Single-key shortcuts', 'Enter, Esc, Tab, the arrow keys and Ctrl K always work.'],
  [
    'undo',
    'Undo before an allow is sent',
    'An allow leaves after four seconds. Closing the page in that time sends nothing.',
  ],
  ['sound', 'Sound for new requests', 'A short tone while this page is open.'],
];

export default function SettingsPage({ onSignOut }: { onSignOut: () => void }) {
  const me = useMe();
  const preferences: Preferences = usePreferences();
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <Page title="Settings">
      <section className="settings" aria-label="You">
        <h2>You</h2>
        <p>
          Signed in as <strong>{oneLine(me?.name ?? '')}</strong>
          {me?.scope === 'viewer' && ', with view-only access'}. Your name is shown next to your answers.
        </p>
        <button type="button" className="button" onClick={onSignOut}>
          Sign out of this browser
        </button>
      </section>
      <section className="settings" aria-label="This browser">
        <h2>This browser</h2>
        <div className="setting">
          <span>Theme</span>
          <Filters
            label="Theme"
            choices={THEMES.map((name) => [THEME_LABELS[name], name] as const)}
            value={theme}
            onChoose={(chosen) => {
              applyTheme(chosen);
              setTheme(chosen);
            }}
          />
        </div>
        {SWITCHES.map(([name, label, explained]) => (
          <label key={name} className="setting">
            <span>
              {label}
              <span className="small muted">{explained}</span>
            </span>
            <input
              type="checkbox"
              checked={preferences[name]}
              onChange={(event) => prefer({ [name]: event.target.checked })}
            />
          </label>
        ))}
        <Link href="/notifications">Notifications on this browser and others</Link>
      </section>
      {useMayAnswer() && <Devices ownId={me?.token_id} />}
    </Page>
  );
}

/** Every browser that is signed in, of every person: an operator may sign any of them out. */
function Devices({ ownId }: { ownId: string | undefined }) {
  const tokens = useFetched({ queryKey: ['tokens'], queryFn: () => api.tokens.list({ limit: 500 }), staleTime: 0 });
  const isSignedIn = ({ kind, revoked_at_ms, expires_at_ms }: NonNullable<typeof tokens.data>['items'][number]) =>
    kind === 'browser' && revoked_at_ms === undefined && (expires_at_ms ?? Number.POSITIVE_INFINITY) > Date.now();
  const devices = tokens.data?.items.filter(isSignedIn) ?? [];
  const signOut = async (id: string) => {
    await api.tokens.revoke(id);
    void tokens.refetch();
  };
  return (
    <section className="settings" aria-label="Signed-in browsers">
      <h2>Signed-in browsers</h2>
      {tokens.error && <p className="notice bad">{failureText(tokens.error)}</p>}
      <ul className="devices">
        {devices.map(({ token_id, name, scope, created_at_ms }) => (
          <li key={token_id}>
            <span>
              <strong>{oneLine(name)}</strong>
              {scope === 'viewer' && ' (view only)'}{' '}
              <span className="small muted">
                signed in <Age atMs={created_at_ms} /> {token_id === ownId && ' · this browser'}
              </span>
            </span>
            {token_id !== ownId && (
              <ConfirmButton className="button" question="Sign it out?" act={() => signOut(token_id)}>
                Sign out
              </ConfirmButton>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
