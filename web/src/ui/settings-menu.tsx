// Lists what is beside the pages: connection, rules, notifications, settings, help and sign-out. In the navigation, and on a
// phone in the dialog "More".
import { Bell, BellOff, CircleHelp, LogOut, ShieldCheck, SlidersHorizontal } from 'lucide-react';
import { Link } from 'wouter';
import type { Inbox as InboxState } from '../../../src/client/inbox-model.ts';
import { useNotificationState } from '../hooks/notifications.ts';
import { LINKS } from '../text/link-text.ts';
import { Key } from './key.tsx';

export interface SettingsMenuProps {
  link: InboxState['link'];
  name: string;
  onHelp: () => void;
  onSignOut: () => void;
}

export default function SettingsMenu({ link, name, onHelp, onSignOut }: SettingsMenuProps) {
  const NotifyIcon = useNotificationState() === 'on' ? Bell : BellOff;
  return (
    <>
      <LinkState link={link} name={name} />
      <Link href="/rules" className="nav-link">
        <ShieldCheck className="icon" /> Rules and grants
      </Link>
      <Link href="/notifications" className="nav-link">
        <NotifyIcon className="icon" /> Notifications
      </Link>
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
}

const LinkState = ({ link, name }: Pick<SettingsMenuProps, 'link' | 'name'>) => (
  <div className={`link-state ${link}`} role="status">
    <span className="dot" /> {LINKS[link]} · {name}
  </div>
);
