// Builds the page into files that are named by their content. Nothing is inlined, because the server's content policy allows
// no inline script or style. `vite` alone serves it with hot reload in front of a running server.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/v1': process.env.HOLDPOINT_URL ?? 'http://127.0.0.1:4777' } },
});
