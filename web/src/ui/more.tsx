// Shows the settings in a dialog, on a phone, where the navigation has no room for them.
import type { ComponentProps } from 'react';
import { Dialog } from './dialog.tsx';
import { Settings } from './nav.tsx';
import './more.css';

export default function More({ onClose, ...settings }: ComponentProps<typeof Settings> & { onClose: () => void }) {
  return (
    <Dialog title="More" onClose={onClose}>
      <div className="more-settings">
        <Settings {...settings} />
      </div>
    </Dialog>
  );
}
