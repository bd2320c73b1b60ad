// Draws the preview of an option to the letter.
import { Exact } from './text.tsx';
import './preview.css';

export const Preview = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
  <pre className="preview" tabIndex={0}>
    <Exact text={text} />
  </pre>
);
