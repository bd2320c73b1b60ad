// Draws the navigation: pages, the number of pending asks, connection, settings, help and sign-out. On a phone there is room
// for five tabs; insights and the settings are in the dialog "More".
import { ChartColumn, Ellipsis, History, Inbox, PlayCircle, Rows2 } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link, useLocation } from 'wouter';
import { LINKS } from '../text/link-text.ts';
import { Brand } from './brand.tsx';
import { Key } from './key.tsx';
import type { SettingsMenuProps } from './settings-menu.tsx';
import './nav.css';

const SettingsMenu = lazy(() => import('./settings-menu.tsx'));

const PAGES = [
  ['/', 'Inbox', Inbox],
  ['/sessions', 'Sessions', Rows2],
  ['/history', 'History', History],
  ['/insights', 'Insights', ChartColumn],
] as const;

interface NavProps extends SettingsMenuProps {
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
        <Link
          key={href}
          href={href}
          className={`nav-link ${href === '/insights' ? 'not-narrow' : ''}`}
          aria-current={isAt(href) ? 'page' : undefined}
        >
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
        <Suspense fallback={null}>
          <SettingsMenu {...settings} />
        </Suspense>
      </div>
    </nav>
  );
}
