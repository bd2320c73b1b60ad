// Renders what agents say as Markdown. HTML in it stays text, images are not fetched, and a link shows its target. A text
// that would take too long, or cannot be rendered, is shown to the letter. A chunk of its own.
import Markdown, { type Components } from 'react-markdown';
import { tableOf } from '../text/markdown-table.ts';
import { isCheapMarkdown } from '../text/render-limits.ts';
import { prose } from '../text/visible.ts';
import { RenderBoundary } from './error-boundary.tsx';
import { Exact } from './text.tsx';
import './markdown.css';

const components: Components = {
  a: ({ href, children }) => (
    <a className="link" href={href} title={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  img: ({ alt, src }) => <code>{alt || String(src)}</code>,
};

/** `test/__snapshots__` is a path, whatever Markdown says; and a paragraph may be a table, which the renderer does not know. */
const withPaths = (text: string): Components => ({
  ...components,
  p: ({ node, children }) => {
    const [start, end] = [node?.position?.start.offset, node?.position?.end.offset];
    const table = tableOf(text.slice(start ?? 0, end ?? 0));
    return table ? <Table of={table} /> : <p>{children}</p>;
  },
  strong: ({ node, children }) => {
    const at = node?.position?.start.offset ?? 0;
    const isPath = text.startsWith('__', at) && /[\w/.-]/.test(text.charAt(at - 1));
    return isPath ? <>__{children}__</> : <strong>{children}</strong>;
  },
});

/** Cells are shown as they are written, but for code. */
const Table = ({ of: [heads = [], ...rows] }: { of: string[][] }) => (
  <div className="markdown-table">
    <table>
      <thead>
        <tr>{heads.map((cell, i) => cellOf('th', cell, i))}</tr>
      </thead>
      <tbody>
        {rows.map((cells, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows of one text, never moved
          <tr key={i}>{cells.map((cell, at) => cellOf('td', cell, at))}</tr>
        ))}
      </tbody>
    </table>
  </div>
);

const cellOf = (Cell: 'th' | 'td', text: string, at: number) => (
  <Cell key={at} {...(Cell === 'th' && { scope: 'col' })}>
    {/^`[^`]+`$/.test(text) ? <code>{text.slice(1, -1)}</code> : text}
  </Cell>
);

export default function MarkdownText({ text }: { text: string }) {
  const visible = prose(text)
    .map((segment) => segment.text)
    .join('');
  const exact = (
    <pre>
      <Exact text={text} />
    </pre>
  );
  if (!isCheapMarkdown(visible)) return exact;
  return (
    <RenderBoundary key={text} fallback={exact}>
      <div className="markdown">
        <Markdown components={withPaths(visible)}>{visible}</Markdown>
      </div>
    </RenderBoundary>
  );
}
