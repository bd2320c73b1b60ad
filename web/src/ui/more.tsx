// What has no room on a phone beside the pages: the connection, notifications, theme, keys, signing out.
import type { ComponentProps } from 'react';
import { Dialog } from './dialog.tsx';
import { Settings } from './nav.tsx';

export default function More({ onClose, ...settings }: ComponentProps<typeof Settings> & { onClose: () => void }) {
  return (
    <Dialog title="More" onClose={onClose}>
      <div className="more">
        <Settings {...settings} />
      </div>
    </Dialog>
  );
}
