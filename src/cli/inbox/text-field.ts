// A single-line text field as a value, with the editing keys of readline. Pure. The cursor moves by grapheme, not by code
// unit.

export interface TextField {
  readonly text: string;
  /** Code units before the cursor. */
  readonly at: number;
}

export interface Key {
  /** The printable character, or the name of the key: `up`, `return`, `escape`, `ctrl-u`. */
  readonly name: string;
  /** The text that it inserts. */
  readonly text?: string;
}

export const fieldOf = (text: string): TextField => ({ text, at: text.length });

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export function insert({ text, at }: TextField, more: string): TextField {
  const plain = more.replace(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ' : blanks));
  return { text: text.slice(0, at) + plain + text.slice(at), at: at + plain.length };
}

export function edit(field: TextField, key: Key): TextField {
  const { text, at } = field;
  switch (key.name) {
    case 'left':
    case 'ctrl-b':
      return { text, at: before(text, at) };
    case 'right':
    case 'ctrl-f':
      return { text, at: after(text, at) };
    case 'home':
    case 'ctrl-a':
      return { text, at: 0 };
    case 'end':
    case 'ctrl-e':
      return { text, at: text.length };
    case 'backspace':
      return { text: text.slice(0, before(text, at)) + text.slice(at), at: before(text, at) };
    case 'delete':
      return { text: text.slice(0, at) + text.slice(after(text, at)), at };
    case 'ctrl-u':
      return { text: text.slice(at), at: 0 };
    case 'ctrl-k':
      return { text: text.slice(0, at), at };
    case 'ctrl-w': {
      const left = text.slice(0, at).replace(/\S+\s*$/, '');
      return { text: left + text.slice(at), at: left.length };
    }
  }
  return key.text === undefined ? field : insert(field, key.text);
}

function before(text: string, at: number): number {
  let start = 0;
  for (const { index } of graphemes.segment(text)) {
    if (index >= at) break;
    start = index;
  }
  return start;
}

function after(text: string, at: number): number {
  for (const { index } of graphemes.segment(text)) if (index > at) return index;
  return text.length;
}
