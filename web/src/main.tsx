// The first script: mounts the page.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { takeCode } from './pages/sign-in.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('the document has no root');
createRoot(root).render(
  <StrictMode>
    <App code={takeCode()} />
  </StrictMode>,
);
