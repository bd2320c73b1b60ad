// Copies a text to the clipboard. Renders nothing where the browser offers no clipboard: on a page that came over plain
// HTTP from another machine.
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';

const COPIED_MS = 1500;

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  if (!navigator.clipboard) return null;
  return (
    <button type="button" className="button quiet small" onClick={copy} aria-label={label} title={label}>
      {isCopied ? <Check className="icon" /> : <Copy className="icon" />}
    </button>
  );
}
