// Draws a link beside a session: what it leads to, and a muted note below.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import './side-link.css';

interface SideLinkProps {
  href: string;
  note: string;
  children: ReactNode;
}

export const SideLink = ({ href, note, children }: SideLinkProps) => (
  <Link href={href} className="side-link">
    {children}
    <span className="muted">{note}</span>
  </Link>
);
