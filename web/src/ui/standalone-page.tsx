// Draws a page without navigation: one box in the middle. For the states in which there is no signed-in page to show.
import type { ReactNode } from 'react';
import { Brand } from './brand.tsx';
import './standalone-page.css';

interface StandalonePageProps {
  role?: 'status' | 'alert';
  children: ReactNode;
}

export const StandalonePage = ({ role, children }: StandalonePageProps) => (
  <main className="standalone" role={role}>
    <div className="standalone-box">
      <Brand />
      {children}
    </div>
  </main>
);
