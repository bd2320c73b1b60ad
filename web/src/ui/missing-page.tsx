// Says why an address shows nothing, and links to a page that does.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import './page.css';
import './missing-page.css';

interface MissingPageProps {
  href: string;
  /** The text of the link. */
  label: string;
  children: ReactNode;
}

export const MissingPage = ({ href, label, children }: MissingPageProps) => (
  <div className="page-body missing">
    {children}
    <Link href={href} className="link">
      {label}
    </Link>
  </div>
);
