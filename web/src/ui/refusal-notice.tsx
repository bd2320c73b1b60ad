// Says why the server did not accept what was sent, that it is slow, or that its reply was lost, beside what was sent.
import { CloudOff, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Refusal } from '../state/refusal.ts';

interface RefusalNoticeProps {
  refusal: Refusal | undefined;
  isSlow?: boolean;
}

export function RefusalNotice({ refusal, isSlow = false }: RefusalNoticeProps) {
  return (
    <div role="alert">
      {isSlow && (
        <p className="notice">
          <CloudOff className="icon" /> Still sending. It will be applied only once.
        </p>
      )}
      {refusal && (
        <p className={`notice ${refusal.isLate ? '' : 'bad'}`}>
          <TriangleAlert className="icon" /> {refusal.text}
        </p>
      )}
    </div>
  );
}

/** For content that was sent before without a reply. The children say what sending it again does. */
export const NoReplyNotice = ({ children }: { children: ReactNode }) => (
  <p className="notice" role="status">
    <CloudOff className="icon" /> <span>No reply came when you sent this. {children}</span>
  </p>
);
