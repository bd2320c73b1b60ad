// Switches desktop notifications on and off, and says so when the browser blocks them.
import { Bell, BellOff } from 'lucide-react';
import { switchNotifications, useNotificationState } from '../hooks/notifications.ts';
import { toast } from '../hooks/toasts.ts';

const BLOCKED = 'Your browser blocks notifications of this page. Allow them in its settings for this site.';

export function NotifyButton() {
  const state = useNotificationState();
  if (state === 'unsupported') return null;
  const isOn = state === 'on';
  const change = async () => {
    const now = await switchNotifications(!isOn);
    if (now === 'blocked') toast(BLOCKED);
    if (now === 'on') toast('You’ll be notified of new requests while you’re elsewhere.');
  };
  return (
    <button type="button" className="nav-link" aria-pressed={isOn} onClick={change}>
      {isOn ? <Bell className="icon" /> : <BellOff className="icon" />} Notifications
    </button>
  );
}
