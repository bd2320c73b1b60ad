// Builds the documentation into site/: one HTML page for each Markdown file, with a search that runs in the page. No other host
// is asked for anything, so the folder can be served anywhere or opened from a disk. Also writes llms.txt, the list of pages.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { Marked } from 'marked';
import { root } from './node.mjs';

const out = join(root, 'site');
const ROOT_PAGES = ['SPEC', 'SECURITY', 'ARCHITECTURE', 'CONTEXT', 'CONTRIBUTING', 'CHANGELOG'].map(
  (name) => `${name}.md`,
);

/** Those that the first page links come first, in its order. */
export function pages() {
  const linked = [...read('docs/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file]) => `docs/${file}`);
  const all = readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`);
  return [...new Set(['docs/README.md', ...linked, ...all, 'deploy/README.md', ...ROOT_PAGES])];
}

const titleOf = (file) => /^# (.+)$/m.exec(read(file))?.[1] ?? file;

/** For programs that read documentation: every page with its first sentence. */
function llmsText() {
  const lines = pages().map((file) => `- [${titleOf(file)}](${file}): ${firstSentence(file)}`);
  return `# Holdpoint

> One durable inbox for every question and approval that any coding agent raises. A request is stored before anyone sees it,
> the first answer wins, and it is delivered until the agent has it.

To ask a person from a program: \`import { ask } from '@holdpoint/client'\`. From a shell: \`holdpoint ask "Deploy?" --option staging\`.
Over MCP: the command \`holdpoint mcp\`. Over HTTP: \`/openapi.json\` of a running server.

## Documentation

${lines.join('\n')}
`;
}

function firstSentence(file) {
  const paragraph =
    read(file)
      .split(/\n\n/)
      .find((part) => /^[A-Z`*]/.test(part)) ?? '';
  const plain = paragraph.replaceAll('\n', ' ').replace(/[*`]|\]\([^)]*\)|\[/g, '');
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}

function build() {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  const index = pages().flatMap((file) => page(file));
  writeFileSync(join(out, 'search.js'), `${SEARCH.replace('INDEX', () => JSON.stringify(index))}`);
  writeFileSync(join(out, 'style.css'), STYLE);
  cpSync(join(root, 'docs', 'screenshots'), join(out, 'screenshots'), { recursive: true });
  writeFileSync(join(root, 'llms.txt'), llmsText());
}

/** Writes one page; returns its sections for the search. */
function page(file) {
  const sections = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = slug(text);
        sections.push({ at: `${nameOf(file)}#${id}`, page: titleOf(file), title: text.replaceAll('`', ''), text: '' });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inside = this.parser.parseInline(tokens);
        const target = targetOf(file, href);
        return target === undefined ? inside : `<a href="${target}">${inside}</a>`;
      },
      image: ({ href, text }) => `<img src="${href.replace(/^docs\//, '')}" alt="${escaped(text)}">`,
      html: () => '',
    },
    walkTokens(token) {
      if (['paragraph', 'code', 'list_item', 'tablecell'].includes(token.type)) words.push(token.text ?? '');
      for (const row of token.type === 'table' ? [token.header, ...token.rows] : [])
        words.push(...row.map((cell) => cell.text));
    },
  });
  const words = [];
  const html = marked.parse(read(file).replace(/^<!--.*-->$/gm, ''));
  if (sections[0])
    sections[0].text = words
      .join(' ')
      .replace(/[`*]|\]\([^)]*\)|\[/g, '')
      .slice(0, 20_000);
  writeFileSync(join(out, nameOf(file)), layout(file, html));
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

function layout(file, html) {
  const links = pages().map((one) => {
    const here = one === file ? ' aria-current="page"' : '';
    return `<li><a href="${nameOf(one)}"${here}>${escaped(titleOf(one))}</a></li>`;
  });
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
<label>Search <input id="search" type="search" autocomplete="off"></label>
<ol id="results" hidden></ol>
<ul>${links.join('\n')}</ul>
</nav>
<main>
${html}</main>
<script src="search.js"></script>
</body>
</html>
`;
}

/** Every word must occur; a hit in a title counts more than one in the text. */
const SEARCH = `const index = INDEX;
const field = document.getElementById('search');
const results = document.getElementById('results');
field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const score = ({ page, title, text }) => {
    let sum = 0;
    for (const word of words) {
      const points = (title.toLowerCase().includes(word) ? 10 : 0) + (page.toLowerCase().includes(word) ? 5 : 0) + (text.toLowerCase().includes(word) ? 1 : 0);
      if (points === 0) return 0;
      sum += points;
    }
    return sum;
  };
  const found = index.map((one) => [score(one), one]).filter(([points]) => points > 0).sort((a, b) => b[0] - a[0]).slice(0, 12);
  results.hidden = words.length === 0;
  results.replaceChildren(...(found.length > 0 ? found.map(([, one]) => {
    const item = document.createElement('li');
    const link = item.appendChild(document.createElement('a'));
    link.href = one.at;
    link.textContent = one.title === one.page ? one.title : one.page + ' › ' + one.title;
    return item;
  }) : [Object.assign(document.createElement('li'), { textContent: 'Nothing found' })]));
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== field) { event.preventDefault(); field.focus(); }
});
`;

const STYLE = `:root { color-scheme: light dark; --line: light-dark(#d8d8de, #3a3a42); --soft: light-dark(#f4f4f7, #202027); --link: light-dark(#1d4ed8, #93b4ff); }
* { box-sizing: border-box; }
body { display: grid; grid-template-columns: 16rem minmax(0, 1fr); margin: 0; font: 16px/1.6 system-ui, sans-serif; color: light-dark(#1b1b20, #e6e6ea); background: light-dark(#fff, #17171b); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: .9rem; }
nav ul, nav ol { list-style: none; padding: 0; }
nav li { margin: .3rem 0; }
nav [aria-current] { font-weight: 600; color: inherit; }
nav input { width: 100%; font: inherit; padding: .35rem .5rem; margin-top: .25rem; border: 1px solid var(--line); border-radius: 6px; background: var(--soft); color: inherit; }
main { max-width: 52rem; padding: 1.5rem 2rem 6rem; }
a { color: var(--link); }
code { font: .875em ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; }
@media (max-width: 48rem) { body { grid-template-columns: minmax(0, 1fr); } nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem; } }
`;

if (import.meta.filename === process.argv[1]) build();
