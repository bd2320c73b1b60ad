// Draws the logo with the product's name.
import './brand.css';

export const Brand = () => (
  <div className="brand">
    <svg viewBox="0 0 64 64" aria-hidden="true">
      <rect width="64" height="64" rx="14" fill="var(--accent)" />
      <rect x="17" y="15" width="10" height="34" rx="3" fill="var(--accent-ink)" />
      <rect x="37" y="15" width="10" height="34" rx="3" fill="var(--accent-ink)" />
    </svg>{' '}
    Holdpoint
  </div>
);
