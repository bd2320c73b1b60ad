// The first script: mounts the page.
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { navigate } from 'wouter/use-browser-location';
import { App } from './app.tsx';
import { install } from './hooks/service-worker.ts';
import { restoreTheme } from './hooks/theme.ts';
import { takeCode } from './pages/sign-in.tsx';
import { WhenBroken } from './ui/broken.tsx';

restoreTheme();
install(navigate);
const root = document.getElementById('root');
if (!root) throw new Error('the document has no root');
createRoot(root).render(
  <StrictMode>
    <WhenBroken>
      <App code={takeCode()} />
    </WhenBroken>
  </StrictMode>,
);
