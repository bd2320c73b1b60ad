// Draws the navigation: pages, the number of pending asks, connection, settings, help and sign-out. On a phone there is room
// for the pages only; the settings are in the dialog "More".
import {
  ChartColumn,
  CircleHelp,
  Ellipsis,
  History,
  Inbox,
  LogOut,
  PlayCircle,
  Rows2,
  ShieldCheck,
  SlidersHorizontal,
} from 'lucide-react';
import { Link, useLocation } from 'wouter';
import type { Inbox as InboxState } from '../../../src/client/inbox-model.ts';
import { Brand } from './brand.tsx';
import { Key } from './key.tsx';
import { NotifyButton } from './notify-button.tsx';
import './nav.css';

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
  /** Undefined for a viewer. */
  onNewRun: (() => void) | undefined;
  onMore: () => void;
}

export function Nav({ count, onNewRun, onMore, ...settings }: NavProps) {
  const [path] = useLocation();
  const isAt = (page: string) => (page === '/' ? path === '/' || path.startsWith('/asks') : path.startsWith(page));
  return (
    <nav className="nav" aria-label="Main">
      <Brand />
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

/** Also shown in the dialog "More". */
export const Settings = ({ link, name, onHelp, onSignOut }: SettingsProps) => (
  <>
    <LinkState link={link} name={name} />
    <Link href="/rules" className="nav-link">
      <ShieldCheck className="icon" /> Rules and grants
    </Link>
    <NotifyButton />
    <Link href="/settings" className="nav-link">
      <SlidersHorizontal className="icon" /> Settings
    </Link>
    <button type="button" className="nav-link" onClick={onHelp}>
      <CircleHelp className="icon" /> Shortcuts <Key>?</Key>
    </button>
    <button type="button" className="nav-link" onClick={onSignOut} title={`Signed in as ${name}`}>
      <LogOut className="icon" /> Sign out
    </button>
  </>
);

const LINKS = { live: 'Live', connecting: 'Connecting…', lost: 'Offline' } as const;

const LinkState = ({ link, name }: Pick<SettingsProps, 'link' | 'name'>) => (
  <div className={`link-state ${link}`} role="status">
    <span className="dot" /> {LINKS[link]} · {name}
  </div>
);
