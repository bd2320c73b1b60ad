// Builds the documentation into site/: one HTML page for each Markdown file, with a search that runs in the page (docs-site/). No
// other host is asked for anything, so the folder can be served anywhere or opened from a disk. Also writes llms.txt, the list of
// pages.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { Marked, Renderer } from 'marked';
import { root } from './node.mjs';

const SITE = join(import.meta.dirname, 'docs-site');
/** Pages that the first page does not list, with what each is. */
const OTHER_PAGES = {
  'deploy/README.md': 'what to set for servers on PostgreSQL, workers on other machines, and the deployment files',
  'SPEC.md': 'the behaviour in detail: states, limits, invariants and the tests that show them',
  'SECURITY.md': 'what is promised against which threat, with the code and tests of each promise, and what is not',
  'ARCHITECTURE.md': 'layers, storage, how an answer travels, and why each dependency is there',
  'CONTEXT.md': 'the glossary',
  'CONTRIBUTING.md': 'how to change and test Holdpoint',
  'CHANGELOG.md': 'what changed in each version',
};
const ROOT_PAGES = Object.keys(OTHER_PAGES).filter((file) => !file.includes('/'));

/** How the list of pages is divided; every other page is in the last group. */
const GROUPS = {
  Start: ['README', 'quick-start', 'own-code', 'testing', 'shell'],
  'Connect an agent': ['claude-code', 'codex', 'opencode', 'amp', 'acp', 'mcp', 'agents', 'runtime-adapter'],
  Answer: ['web', 'cli', 'threads', 'opencode-door', 'notifications', 'rules'],
  Reference: ['api', 'errors'],
  Operate: ['operations', 'deploy', 'upgrade', 'scaling', 'performance', 'faults'],
  Project: [],
};

/** Those that the first page links come first, in its order. */
export function pages() {
  const linked = [...read('docs/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file]) => `docs/${file}`);
  const all = readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`);
  return [...new Set(['docs/README.md', ...linked, ...all, ...Object.keys(OTHER_PAGES)])];
}

const titleOf = (file) => /^# (.+)$/m.exec(read(file))?.[1] ?? file;

/** For programs that read documentation: every page with what it is for. */
export function llmsText() {
  const about = { ...purposes(), ...OTHER_PAGES };
  const [, ...listed] = pages();
  const lines = listed.map((file) => `- [${titleOf(file)}](${file}): ${about[file]}`);
  return `# Holdpoint

> One durable inbox for every question and approval that any coding agent raises. A request is stored before anyone sees it,
> the first answer wins, and it is delivered until the agent has it.

To ask a person from a program: \`import { ask } from '@holdpoint/client'\`. From a shell: \`holdpoint ask "Deploy?" --option staging\`.
Over MCP: the command \`holdpoint mcp\`. Over HTTP: \`/openapi.json\` of a running server.

## Documentation

${lines.join('\n')}
`;
}

/** What the first page says somebody wants who should read a page; where it offers several, its name for the page. */
function purposes() {
  const rows = [...read('docs/README.md').matchAll(/^\| ([a-z].+?) \| (.+) \|$/gm)];
  const links = rows.flatMap(([, wish, cells]) => {
    const offered = [...cells.matchAll(/\[([^\]]+)\]\(([\w-]+\.md)\)/g)];
    return offered.map(([, name, file]) => [`docs/${file}`, `to ${wish}${offered.length > 1 ? `: ${name}` : ''}`]);
  });
  return Object.fromEntries(links);
}

/** Writes the whole site into a folder. */
export function build(out) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  // The first page is nothing but links to the others.
  const sections = pages()
    .map((file) => page(file, out))
    .slice(1)
    .flat();
  writeFileSync(join(out, 'index.js'), `globalThis.SECTIONS = ${JSON.stringify(sections)};\n`);
  for (const file of ['style.css', 'search.js']) cpSync(join(SITE, file), join(out, file));
  cpSync(join(root, 'docs', 'screenshots'), join(out, 'screenshots'), { recursive: true });
}

/** Writes one page; returns its sections for the search. */
function page(file, out) {
  const sections = [];
  const note = (text = '') => {
    const last = sections.at(-1);
    if (last) last.text += `${text.replaceAll(/[`*]|\]\([^)]*\)|\[/g, '').replaceAll(/\s+/g, ' ')} `;
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = slug(text);
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inside = this.parser.parseInline(tokens);
        const target = targetOf(file, href);
        return target === undefined ? inside : `<a href="${target}">${inside}</a>`;
      },
      table(token) {
        return `<div class="table">${Renderer.prototype.table.call(this, token)}</div>`;
      },
      image: ({ href, text }) => `<img src="${href.replace(/^docs\//, '')}" alt="${escaped(text)}">`,
      html: () => '',
    },
  });
  const source = read(file).replace(/^<!--.*-->$/gm, '');
  for (const { type, text, header = [], rows = [], items = [] } of marked.lexer(source)) {
    if (type === 'heading')
      sections.push({
        at: `${nameOf(file)}#${slug(text)}`,
        page: titleOf(file),
        title: text.replaceAll('`', ''),
        text: '',
        isForUsers: !ROOT_PAGES.includes(file),
      });
    if (['paragraph', 'code'].includes(type)) note(text);
    for (const one of [...header, ...rows.flat(), ...items]) note(one.text);
  }
  writeFileSync(join(out, nameOf(file)), layout(file, marked.parse(source)));
  return sections;
}

const nameOf = (file) =>
  `${file === 'docs/README.md' ? 'index' : basename(file.replace('/README', ''), '.md').toLowerCase()}.html`;
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .trim()
    .replaceAll(' ', '-');
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The page of this site, or undefined for a file that the site does not have. */
function targetOf(file, href) {
  if (/^(https?:|#)/.test(href)) return escaped(href);
  const [path, anchor] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(file), path));
  if (!pages().includes(target)) return undefined;
  return `${nameOf(target)}${anchor ? `#${anchor}` : ''}`;
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

/** The pages in their groups. */
function listOf(file) {
  const stem = (one) => (one === 'deploy/README.md' ? 'deploy' : basename(one, '.md'));
  const placed = Object.values(GROUPS).flat();
  return Object.entries(GROUPS)
    .map(([title, names]) => {
      const isHere = (one) => (names.length > 0 ? names.includes(stem(one)) : !placed.includes(stem(one)));
      const links = pages()
        .filter(isHere)
        .map((one) => {
          const here = one === file ? ' aria-current="page"' : '';
          return `<li><a href="${nameOf(one)}"${here}>${escaped(labelOf(one))}</a></li>`;
        });
      return `<h2>${title}</h2>\n<ul>${links.join('\n')}</ul>`;
    })
    .join('\n');
}

/** How the first page calls it, which is shorter than its title. */
function labelOf(file) {
  if (file === 'docs/README.md') return 'Overview';
  const name = basename(file);
  return (
    read('docs/README.md')
      .match(new RegExp(`\\[([^\\]]+)\\]\\(${name}\\)`))?.[1]
      .replace(/^./, (c) => c.toUpperCase()) ?? titleOf(file)
  );
}

function layout(file, html) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'">
<title>${escaped(titleOf(file))} · Holdpoint</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav aria-label="Pages">
<a class="home" href="index.html">Holdpoint</a>
<input id="search" type="search" autocomplete="off" aria-label="Search" placeholder="Search  (press /)">
<ol id="results" aria-live="polite" hidden></ol>
<details id="pages" open>
<summary>All pages</summary>
${listOf(file)}
</details>
</nav>
<main>
${html}</main>
<script src="index.js"></script>
<script src="search.js"></script>
</body>
</html>
`;
}

if (import.meta.filename === process.argv[1]) {
  build(join(root, 'site'));
  writeFileSync(join(root, 'llms.txt'), llmsText());
}
