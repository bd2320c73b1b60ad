// Splits a long question into what leads to it and what is asked, so that only the latter is set as a headline. Pure; both
// parts together are the whole text.

export interface QuestionParts {
  /** Empty where the text is short. */
  lead: string;
  /** Empty where no short question ends the text. */
  asked: string;
}

/** What is longer is no headline. */
const MAX_HEADLINE = 240;
/** A point within a word, as in a file name, ends no sentence. */
const LAST_SENTENCE = /(?<=[.!?:])\s+(?<last>\S(?:[^.!?]|[.!?](?=\S))*[.!?]?)$/;

export function questionParts(text: string): QuestionParts {
  const whole = text.trim();
  const isShort = whole.length <= MAX_HEADLINE;
  if (isShort && !whole.includes('\n')) return { lead: '', asked: text };
  const paragraph = whole.lastIndexOf('\n\n');
  if (paragraph > 0 && whole.length - paragraph <= MAX_HEADLINE)
    return { lead: whole.slice(0, paragraph), asked: whole.slice(paragraph + 2) };
  const last = LAST_SENTENCE.exec(whole);
  const asked = last?.groups?.last ?? '';
  if (last && asked.length <= MAX_HEADLINE) return { lead: whole.slice(0, last.index), asked };
  return isShort ? { lead: '', asked: text } : { lead: text, asked: '' };
}
