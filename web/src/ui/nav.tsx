// The way around: pages, what waits, whether the page is live, theme, help, and who is signed in.
import { ChartColumn, CircleHelp, History, Inbox, LogOut, Moon, PlayCircle, Rows2, Sun } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Inbox as InboxState } from '../state/inbox.ts';
import { applyTheme, themeOf } from '../theme.ts';
import { Key } from './key.tsx';
import { NotifyButton } from './notify-button.tsx';

const PAGES = [
  ['/', 'Inbox', Inbox],
  ['/sessions', 'Sessions', Rows2],
  ['/history', 'History', History],
  ['/insights', 'Insights', ChartColumn],
] as const;

interface NavProps {
  count: number;
  link: InboxState['link'];
  name: string;
  onNewRun: () => void;
  onHelp: () => void;
  onSignOut: () => void;
}

export function Nav({ count, link, name, onNewRun, onHelp, onSignOut }: NavProps) {
  const [path] = useLocation();
  const isAt = (page: string) => (page === '/' ? path === '/' || path.startsWith('/asks') : path.startsWith(page));
  return (
    <nav className="nav" aria-label="Main">
      <div className="brand">
        <Mark /> Holdpoint
      </div>
      {PAGES.map(([href, label, Icon]) => (
        <Link key={href} href={href} className="nav-link" aria-current={isAt(href) ? 'page' : undefined}>
          <Icon className="icon" />
          {label}
          {href === '/' && count > 0 && (
            <span className="count">
              {count > 999 ? '999+' : count}
              <span className="visually-hidden"> waiting</span>
            </span>
          )}
        </Link>
      ))}
      <button type="button" className="nav-link" onClick={onNewRun}>
        <PlayCircle className="icon" /> New run <Key>n</Key>
      </button>
      <div className="spacer" />
      <LinkState link={link} name={name} />
      <NotifyButton />
      <ThemeButton />
      <button type="button" className="nav-link only-wide" onClick={onHelp}>
        <CircleHelp className="icon" /> Keyboard <Key>?</Key>
      </button>
      <button type="button" className="nav-link only-wide" onClick={onSignOut} title={`Signed in as ${name}`}>
        <LogOut className="icon" /> Sign out
      </button>
    </nav>
  );
}

const LINKS = { live: 'Live', connecting: 'Connecting…', lost: 'No connection' } as const;

const LinkState = ({ link, name }: Pick<NavProps, 'link' | 'name'>) => (
  <div className={`link-state only-wide ${link}`} role="status">
    <span className="dot" /> {LINKS[link]} · {name}
  </div>
);

function ThemeButton() {
  const [theme, setTheme] = useState(themeOf);
  const next = theme === 'dark' ? 'light' : 'dark';
  const change = () => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <button type="button" className="nav-link only-wide" onClick={change}>
      {theme === 'dark' ? <Sun className="icon" /> : <Moon className="icon" />} {next === 'dark' ? 'Dark' : 'Light'}{' '}
      theme
    </button>
  );
}

export const Mark = () => (
  <svg viewBox="0 0 64 64" aria-hidden="true">
    <rect width="64" height="64" rx="14" fill="var(--accent)" />
    <rect x="17" y="15" width="10" height="34" rx="3" fill="var(--accent-ink)" />
    <rect x="37" y="15" width="10" height="34" rx="3" fill="var(--accent-ink)" />
  </svg>
);
