// Builds the page into files that are named by their content. Nothing is inlined, because the server's content policy allows
// no inline script or style. `vite` alone serves it with hot reload in front of a running server.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * What the first drawing needs and later chunks use as well. As one file it compresses better than as a dozen small ones.
 * A module that only later chunks use does not belong here: test/web/size.test.ts holds the sum.
 */
const FIRST =
  /node_modules\/(?:react|react-dom|scheduler|wouter|regexparam)\/|lucide-react\/dist\/esm\/(?:createLucideIcon|Icon|context|defaultAttributes|shared)|src\/client\/(?:client|http|times|inbox-model|inbox-filter|action-summary|approval-groups|risk-text|file-change|rule-calls|activity-calls)\.ts|src\/core\/(?:asked-again|hidden-characters|text-limit)\.ts|web\/src\/(?:api\.ts|state\/keys|state\/asked-again|text\/(?:visible|ask-text|action-kind|signed-out|session-text)|hooks\/(?:toasts|gesture|commands|dialog|clock|live-inbox|me|preferences|touched-asks|theme|unsent|row-focus|row-window|press|unreached)|app|pages\/inbox|state\/list-rows|styles\/|text\/plain-markdown|ui\/(?:ask-list|nav)\.)|@fontsource/;

/** What several later chunks use. Each file that the first one names costs it a dozen bytes. */
const SHARED =
  /lucide-react\/dist\/esm\/icons|web\/src\/(?:ui\/(?:missing-page|page|refusal-notice|copy-button|confirm-button|search-field|dialog|more|always)\.|hooks\/(?:queries|missed-notice|undo)|state\/refusal)/;

/** Tells the service worker what to cache. */
const listAssets: Plugin = {
  name: 'list-assets',
  writeBundle({ dir = '' }, bundle) {
    const worker = join(dir, 'sw.js');
    const assets = Object.keys(bundle)
      .filter((file) => /\.(?:js|css)$/.test(file))
      .map((file) => `/${file}`);
    const text = readFileSync(worker, 'utf8');
    if (!text.includes(EMPTY_LIST)) throw new Error(`sw.js has no line '${EMPTY_LIST}'`);
    writeFileSync(worker, text.replace(EMPTY_LIST, `const ASSETS = ${JSON.stringify(assets.sort())};`));
  },
};

const EMPTY_LIST = 'const ASSETS = [];';

const GROUPS = [
  { name: 'first', test: FIRST, priority: 2 },
  { name: 'shared', test: SHARED, priority: 1 },
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), listAssets],
  // The router's fallback for versions of React that lack this hook.
  resolve: { alias: [{ find: /^use-sync-external-store\/shim\/index\.js$/, replacement: 'react' }] },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
  },
  server: { proxy: { '/v1': process.env.HOLDPOINT_URL ?? 'http://127.0.0.1:4777' } },
});
