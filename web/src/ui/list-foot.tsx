// Ends a list that is fetched in pages: says how much was found, and offers the next page where there is one.
import type { ReactNode } from 'react';
import './list-foot.css';

interface ListFootProps {
  isLoading: boolean;
  /** Fetches the next page. */
  more: (() => void) | undefined;
  children: ReactNode;
}

export const ListFoot = ({ isLoading, more, children }: ListFootProps) => (
  <div className="list-foot">
    <p className="small muted" role="status">
      {children}
    </p>
    {more && (
      <button type="button" className="button" disabled={isLoading} onClick={more}>
        Further back
      </button>
    )}
  </div>
);
