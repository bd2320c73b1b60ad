// Highlights commands and JSON. The highlighter returns a tree, which becomes elements: no HTML is parsed. A chunk of its
// own, loaded with the first command.
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import { createLowlight } from 'lowlight';
import type { ReactNode } from 'react';
import { isCommandPlace } from '../text/command-place.ts';
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
  let before = '';
  const element = (node: Node, i: number): ReactNode => {
    if (node.type === 'text') {
      before += node.value ?? '';
      return <Exact key={i} text={node.value ?? ''} />;
    }
    const names = Array.isArray(node.properties?.className) ? node.properties.className.join(' ') : '';
    const isCommand = !COMMANDS.test(names) || isCommandPlace(before);
    return (
      <span key={i} className={isCommand || language !== 'bash' ? names : ''}>
        {node.children?.map(element)}
      </span>
    );
  };
  return (children as Node[]).map(element);
}

/** What the grammar takes for a command. */
const COMMANDS = /hl-(?:built_in|keyword)/;
