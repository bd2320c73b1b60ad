// Parses what a person typed as a choice among options: numbers, ids or labels in any case, separated by commas or blanks.
// Pure. Ambiguous input is refused with a reason, never guessed.
import type { Question } from '../../core/question.ts';
import { oneLine } from '../text/terminal-text.ts';

/** `isUnknown`: the text names no option, so it may be an answer of the person's own. */
export type Choice = { ids: string[] } | { refusal: string; isUnknown?: true };

export function readChoice(question: Pick<Question, 'options' | 'multi_select'>, typed: string): Choice {
  const text = typed.trim();
  if (text === '') return { ids: [] };
  const whole = matches(question, text);
  if (whole.length === 1) return { ids: whole };
  if (whole.length > 1) return { refusal: ambiguity(question, text) };
  const ids: string[] = [];
  for (const part of text.split(',').map((p) => p.trim())) {
    const read = parseWords(question, part === '' ? [] : part.split(/\s+/));
    if ('refusal' in read) return read;
    ids.push(...read.ids);
  }
  const distinct = [...new Set(ids)];
  if (distinct.length > 1 && !question.multi_select) return { refusal: 'Only one option may be selected.' };
  if (distinct.length === 0) return { refusal: `"${oneLine(text)}" selects nothing.` };
  return { ids: distinct };
}

/** Labels may contain blanks: the longest run of words that names one option is taken. */
function parseWords(question: Pick<Question, 'options'>, words: readonly string[]): Choice {
  const ids: string[] = [];
  for (let at = 0; at < words.length; ) {
    let length = words.length - at;
    let found = matches(question, words.slice(at).join(' '));
    while (found.length === 0 && length > 1) {
      length -= 1;
      found = matches(question, words.slice(at, at + length).join(' '));
    }
    const [id] = found;
    const text = words.slice(at, at + length).join(' ');
    if (id === undefined) return unknown(question, words[at] ?? '');
    if (found.length > 1) return { refusal: ambiguity(question, text) };
    ids.push(id);
    at += length;
  }
  return { ids };
}

/** The ids of the options that a text may name. `#2` is always a number. */
function matches({ options }: Pick<Question, 'options'>, text: string): string[] {
  const numbered = /^#?([1-9]\d{0,3})$/.exec(text);
  const byNumber = numbered ? options[Number(numbered[1]) - 1]?.id : undefined;
  if (text.startsWith('#') && byNumber !== undefined) return [byNumber];
  const folded = text.toLowerCase();
  const byName = options.filter(
    (o) => o.id.toLowerCase() === folded || o.label.trim().replace(/\s+/g, ' ').toLowerCase() === folded,
  );
  const exactId = byName.filter((o) => o.id === text);
  const named = (exactId.length === 1 ? exactId : byName).map((o) => o.id);
  return [...new Set([...(byNumber === undefined ? [] : [byNumber]), ...named])];
}

function unknown({ options }: Pick<Question, 'options'>, text: string): Choice {
  const refusal = `"${oneLine(text)}" is not one of the options: give a number from 1 to ${options.length}, an id or a label.`;
  return /^[#-]?\d+$/.test(text) ? { refusal } : { refusal, isUnknown: true };
}

function ambiguity(question: Pick<Question, 'options'>, text: string): string {
  const labels = matches(question, text).map((id) => {
    const index = question.options.findIndex((o) => o.id === id);
    return `#${index + 1} ${oneLine(question.options[index]?.label ?? '')}`;
  });
  return `"${oneLine(text)}" could mean ${labels.join(' or ')}; write the number with a # in front.`;
}
