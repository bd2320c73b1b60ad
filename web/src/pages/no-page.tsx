// Answers an address that no page has.
import { useLocation } from 'wouter';
import { MissingPage } from '../ui/missing-page.tsx';

export default function NoPage() {
  const [path] = useLocation();
  return (
    <MissingPage href="/" label="To the inbox">
      <h1>There is no such page</h1>
      <p className="muted">
        Nothing is at <code>{path}</code>.
      </p>
    </MissingPage>
  );
}
