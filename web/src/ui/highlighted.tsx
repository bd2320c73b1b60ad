// Highlights commands and JSON. The highlighter returns a tree, which becomes elements: no HTML is parsed. A chunk of its
// own, loaded with the first command.
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import { createLowlight } from 'lowlight';
import type { ReactNode } from 'react';
import { Exact } from './text.tsx';
import './highlighted.css';

const lowlight = createLowlight({ bash, json });

interface Node {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: Node[];
}

export default function Highlighted({ text, language }: { text: string; language: 'bash' | 'json' | 'plain' }) {
  const { children } = lowlight.highlight(language, text, { prefix: 'hl-' });
  return (children as Node[]).map(element);
}

function element(node: Node, i: number): ReactNode {
  if (node.type === 'text') return <Exact key={i} text={node.value ?? ''} />;
  const names = node.properties?.className;
  return (
    <span key={i} className={Array.isArray(names) ? names.join(' ') : ''}>
      {node.children?.map(element)}
    </span>
  );
}
