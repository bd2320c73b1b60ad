// Lays out a page that scrolls: a heading, its controls at the end of the line, and a body of limited width.
import type { ReactNode } from 'react';
import './page.css';

interface PageProps {
  title: string;
  tools?: ReactNode;
  children: ReactNode;
}

export const Page = ({ title, tools, children }: PageProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a page without links or buttons is scrolled by keys, too
  <div className="page-scroll" tabIndex={0}>
    <div className="page-body">
      <div className="page-head">
        <h1>{title}</h1>
        {tools && <div className="page-tools">{tools}</div>}
      </div>
      {children}
    </div>
  </div>
);
