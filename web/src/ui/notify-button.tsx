// The switch for notifications of the desktop. Says what it does before the browser asks, and why it cannot where it can't.
import { Bell, BellOff } from 'lucide-react';
import { setNotifying, useNotifying } from '../hooks/notifications.ts';
import { toast } from './toasts.tsx';

const BLOCKED = 'Your browser blocks notifications of this page. Allow them in its settings for this site.';

export function NotifyButton() {
  const state = useNotifying();
  if (state === 'unsupported') return null;
  const isOn = state === 'on';
  const change = async () => {
    const now = await setNotifying(!isOn);
    if (now === 'blocked') toast(BLOCKED);
    if (now === 'on') toast('You are told of new asks while this page is hidden.');
  };
  return (
    <button type="button" className="nav-link" aria-pressed={isOn} onClick={change}>
      {isOn ? <Bell className="icon" /> : <BellOff className="icon" />} Notifications
    </button>
  );
}
