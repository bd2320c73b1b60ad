// An address that no page has.
import { Link, useLocation } from 'wouter';

export default function NoPage() {
  const [path] = useLocation();
  return (
    <div className="page-body missing">
      <h1>There is no such page</h1>
      <p className="muted">
        Nothing is at <code>{path}</code>.
      </p>
      <Link href="/" className="link">
        To the inbox
      </Link>
    </div>
  );
}
