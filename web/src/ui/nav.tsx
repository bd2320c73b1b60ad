// The way around: pages, what waits, whether the page is live, theme, help, and who is signed in. On a phone there is room
// for the pages only; the rest is behind "More".
import { ChartColumn, CircleHelp, Ellipsis, History, Inbox, LogOut, Moon, PlayCircle, Rows2, Sun } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { applyTheme, themeOf } from '../hooks/theme.ts';
import type { Inbox as InboxState } from '../state/inbox.ts';
import { Key } from './key.tsx';
import { NotifyButton } from './notify-button.tsx';

const PAGES = [
  ['/', 'Inbox', Inbox],
  ['/sessions', 'Sessions', Rows2],
  ['/history', 'History', History],
  ['/insights', 'Insights', ChartColumn],
] as const;

interface SettingsProps {
  link: InboxState['link'];
  name: string;
  onHelp: () => void;
  onSignOut: () => void;
}

interface NavProps extends SettingsProps {
  count: number;
  /** None for who may only look. */
  onNewRun: (() => void) | undefined;
  onMore: () => void;
}

export function Nav({ count, onNewRun, onMore, ...settings }: NavProps) {
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
      {onNewRun && (
        <button type="button" className="nav-link" onClick={onNewRun}>
          <PlayCircle className="icon" /> New run <Key>n</Key>
        </button>
      )}
      <button type="button" className="nav-link only-narrow" aria-haspopup="dialog" onClick={onMore}>
        <Ellipsis className="icon" /> More
        {settings.link !== 'live' && <span className="visually-hidden">: {LINKS[settings.link]}</span>}
        <span className={`dot ${settings.link}`} />
      </button>
      <div className="spacer" />
      <div className="only-wide">
        <Settings {...settings} />
      </div>
    </nav>
  );
}

/** What is the person's own: the connection, notifications, theme, help, the way out. */
export const Settings = ({ link, name, onHelp, onSignOut }: SettingsProps) => (
  <>
    <LinkState link={link} name={name} />
    <NotifyButton />
    <ThemeButton />
    <button type="button" className="nav-link" onClick={onHelp}>
      <CircleHelp className="icon" /> Keyboard <Key>?</Key>
    </button>
    <button type="button" className="nav-link" onClick={onSignOut} title={`Signed in as ${name}`}>
      <LogOut className="icon" /> Sign out
    </button>
  </>
);

const LINKS = { live: 'Live', connecting: 'Connecting…', lost: 'No connection' } as const;

const LinkState = ({ link, name }: Pick<SettingsProps, 'link' | 'name'>) => (
  <div className={`link-state ${link}`} role="status">
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
    <button type="button" className="nav-link" onClick={change}>
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
