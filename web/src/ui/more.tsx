// Shows insights and the settings in a dialog, on a phone, where the navigation has no room for them.
import { ChartColumn } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Link } from 'wouter';
import { Dialog } from './dialog.tsx';
import SettingsMenu from './settings-menu.tsx';
import './more.css';

export default function More({ onClose, ...settings }: ComponentProps<typeof SettingsMenu> & { onClose: () => void }) {
  return (
    <Dialog title="More" onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a link below was followed, by click or key */}
      <div
        className="more-settings"
        onClick={(event) => event.target instanceof Element && event.target.closest('a') && onClose()}
      >
        <Link href="/insights" className="nav-link">
          <ChartColumn className="icon" /> Insights
        </Link>
        <SettingsMenu {...settings} />
      </div>
    </Dialog>
  );
}
