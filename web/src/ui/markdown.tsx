// What agents say, with its lists, code and emphasis. Loaded with the first session page. HTML in the text stays text,
// pictures are not fetched, and a link says where it goes.
import Markdown, { type Components } from 'react-markdown';
import { prose } from '../text/visible.ts';
import '../styles/markdown.css';

const components: Components = {
  a: ({ href, children }) => (
    <a className="link" href={href} title={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  img: ({ alt, src }) => <code>{alt || String(src)}</code>,
};

export default function MarkdownText({ text }: { text: string }) {
  const seen = prose(text)
    .map((segment) => segment.text)
    .join('');
  return (
    <div className="markdown">
      <Markdown components={components}>{seen}</Markdown>
    </div>
  );
}
