// Mounts the page. This is the first script the document loads.
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { navigate } from 'wouter/use-browser-location';
import { App } from './app.tsx';
import { registerServiceWorker } from './hooks/service-worker.ts';
import { takeCode } from './hooks/sign-in-code.ts';
import { restoreTheme } from './hooks/theme.ts';
import { ErrorBoundary } from './ui/error-boundary.tsx';

restoreTheme();
registerServiceWorker(navigate);
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root');
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary>
      <App code={takeCode()} />
    </ErrorBoundary>
  </StrictMode>,
);
