// Renders what agents say as Markdown. HTML in it stays text, images are not fetched, and a link shows its target. A chunk
// of its own.
import Markdown, { type Components } from 'react-markdown';
import { prose } from '../text/visible.ts';
import './markdown.css';

const components: Components = {
  a: ({ href, children }) => (
    <a className="link" href={href} title={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  img: ({ alt, src }) => <code>{alt || String(src)}</code>,
};

export default function MarkdownText({ text }: { text: string }) {
  const visible = prose(text)
    .map((segment) => segment.text)
    .join('');
  return (
    <div className="markdown">
      <Markdown components={components}>{visible}</Markdown>
    </div>
  );
}
