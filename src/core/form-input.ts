// Normalises the arguments of `interactive_form_question` that models write into valid questions: parses leniently (aliases,
// strings for objects, alternate keys), validates strictly (ids, counts, lengths, repeats). Errors name the field, so that
// a model can correct it. Pure; knows no ask and no page.
import { type Refusal, refuse } from './errors.ts';

export const FORM_TOOL = 'interactive_form_question';

interface FormOption {
  label: string;
  value: string;
  recommended: boolean;
  description?: string;
  preview?: string;
}

export interface FormQuestion {
  id: string;
  question: string;
  input_type: 'choice' | 'text';
  options: FormOption[] | null;
  multi_select: boolean;
  required: boolean;
  default: string[] | null;
  placeholder: string | null;
  header?: string;
  secret?: boolean;
  allow_other?: boolean;
}

const MOST_QUESTIONS = 20;
const MOST_OPTIONS = 50;
const LONGEST_TEXT = 4000;
const LONGEST_ID = 128;
const LONGEST_HEADER = 200;
const LONGEST_PREVIEW = 20_000;
const MOST_LISTED = 10;

const TEXT_KEYS = ['question', 'title', 'prompt', 'label', 'text'];
const TYPE_KEYS = ['input_type', 'inputType', 'question_type', 'questionType', 'type'];
const MULTI_KEYS = ['multi_select', 'multiSelect', 'multiple', 'multi'];
const OPTION_KEYS = ['options', 'choices'];
const LABEL_KEYS = ['label', 'name', 'text', 'title'];

const TEXT_TYPES = words('text text_input textarea long_text short_text string input free_text');
const SINGLE_TYPES = words('choice single_choice single_select select dropdown radio radio_group enum option');
const MULTI_TYPES = words(
  'multi_select multiple_select multiselect multi_choice multiple_choice checkbox checkboxes checkbox_group',
);

type Fields = Record<string, unknown>;
type Complain = (place: string, problem: string) => void;

export interface FormReading {
  /** The tool that the model must call again. */
  tool?: string;
  /** A question without an id is called by its place. */
  numberIds?: boolean;
}

/** The questions of a tool call, or everything that is wrong with them. */
export function readForm(given: unknown, { tool = FORM_TOOL, numberIds }: FormReading = {}): FormQuestion[] | Refusal {
  const problems: string[] = [];
  const complain: Complain = (place, problem) => problems.push(`${place}: ${problem}`);
  const list = questionsOf(given, complain).map((question, i) =>
    numberIds && isFields(question) && !isGiven(question.id) ? { ...question, id: `question-${i + 1}` } : question,
  );
  const questions = list.map((question, i) => readQuestion(question, `questions[${i}]`, complain));
  const known = questions.filter((question) => question !== undefined);
  const repeated = firstRepeat(known.map(({ id }) => id));
  if (repeated !== undefined)
    complain('questions', `the id ${quoted(repeated)} is used more than once; give each its own`);
  if (problems.length === 0) return known;
  const listed = problems.slice(0, MOST_LISTED);
  if (problems.length > MOST_LISTED) listed.push(`and ${problems.length - MOST_LISTED} more problems`);
  return refuse(
    'invalid_interactive_form',
    `Nobody was asked. ${listed.join('; ')}. Correct this and call ${tool} again.`,
  );
}

function questionsOf(given: unknown, complain: Complain): unknown[] {
  const args = parsed(given);
  const inside = isFields(args) && 'questions' in args ? parsed(args.questions) : args;
  const list = isFields(inside) && first(inside, TEXT_KEYS) !== undefined ? [inside] : inside;
  if (!Array.isArray(list)) complain('questions', 'must be a list of question objects');
  else if (list.length === 0) complain('questions', 'must have at least one question');
  else if (list.length > MOST_QUESTIONS)
    complain('questions', `has ${list.length} questions, at most ${MOST_QUESTIONS} are allowed`);
  else return list;
  return [];
}

function readQuestion(given: unknown, place: string, complain: Complain): FormQuestion | undefined {
  if (!isFields(given)) {
    complain(place, 'must be an object such as {"id": "name", "question": "Which name?", "input_type": "text"}');
    return undefined;
  }
  const { kind, inner } = readType(first(given, TYPE_KEYS));
  const id = readText(given.id, `${place}.id`, complain, LONGEST_ID);
  if (id === '__proto__') complain(`${place}.id`, 'is not usable as an id');
  const question = readText(first(given, TEXT_KEYS) ?? inner, `${place}.question`, complain);
  const options = readOptions(firstKnown(given, OPTION_KEYS), `${place}.options`, complain);
  const multi = readFlag(firstKnown(given, MULTI_KEYS), false, `${place}.multi_select`, complain);
  const required = readFlag(given.required, true, `${place}.required`, complain);
  if (kind === 'text' && options.length > 0)
    complain(`${place}.options`, 'a text question has none: leave them out, or set input_type to "choice"');
  const isChoice = options.length > 0;
  const isMulti = isChoice && (kind === 'multi' || multi);
  const secret = readFlag(given.secret, false, `${place}.secret`, complain);
  if (secret && isChoice) complain(`${place}.secret`, 'a secret is typed: leave the options out');
  const allowOther = readFlag(given.allow_other, true, `${place}.allow_other`, complain);
  if (!allowOther && !isChoice) complain(`${place}.allow_other`, 'false needs options to choose from');
  return {
    id,
    question,
    input_type: isChoice ? 'choice' : 'text',
    options: isChoice ? options : null,
    multi_select: isMulti,
    required,
    default: readDefault(given.default, options, isMulti, `${place}.default`, complain),
    placeholder: isGiven(given.placeholder) ? readText(given.placeholder, `${place}.placeholder`, complain) : null,
    ...optionalText(given, 'header', place, complain, LONGEST_HEADER),
    ...(secret && { secret }),
    ...(!allowOther && { allow_other: false }),
  };
}

/** A text that may be left out; a blank one is. */
function optionalText<K extends string>(given: Fields, key: K, place: string, complain: Complain, longest?: number) {
  if (!isGiven(given[key]) || given[key] === '') return undefined;
  return { [key]: readText(given[key], `${place}.${key}`, complain, longest) } as Record<K, string>;
}

/** `choice(question(Which one?))` is a type with the question inside it. An unknown type follows from its options. */
function readType(given: string | undefined): { kind: 'text' | 'single' | 'multi' | 'unknown'; inner?: string } {
  const nested = /^([\w\s-]+)\(\s*question\s*\(([\s\S]*)\)\s*\)$/.exec(given?.trim() ?? '');
  const name = (nested?.[1] ?? given ?? '')
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '_');
  const inner = nested?.[2]?.trim().replace(/^(["'])([\s\S]*)\1$/, '$2');
  const kind = TEXT_TYPES.has(name)
    ? 'text'
    : SINGLE_TYPES.has(name)
      ? 'single'
      : MULTI_TYPES.has(name)
        ? 'multi'
        : 'unknown';
  return { kind, ...(inner && { inner }) };
}

function readOptions(given: unknown, place: string, complain: Complain): FormOption[] {
  if (!isGiven(given)) return [];
  const list = parsed(given);
  if (!Array.isArray(list)) {
    complain(place, 'must be a list such as ["Red", "Blue"] or [{"label": "Red", "value": "red"}]');
    return [];
  }
  if (list.length > MOST_OPTIONS) {
    complain(place, `has ${list.length} options, at most ${MOST_OPTIONS} are allowed`);
    return [];
  }
  const options = list.map((option, i) => readOption(option, `${place}[${i}]`, complain));
  const value = firstRepeat(options.map((option) => option.value));
  if (value !== undefined) complain(place, `the value ${quoted(value)} is used more than once; values must be unique`);
  const label = firstRepeat(options.map((option) => option.label.toLowerCase()));
  if (label !== undefined && value === undefined)
    complain(place, `the label ${quoted(label)} is used more than once; labels must differ by more than case`);
  return options;
}

function readOption(given: unknown, place: string, complain: Complain): FormOption {
  if (!isFields(given)) {
    const label = readText(given, place, complain);
    return { label, value: label, recommended: false };
  }
  const label = readText(firstKnown(given, LABEL_KEYS), `${place}.label`, complain);
  const value = isGiven(given.value) ? readText(given.value, `${place}.value`, complain) : label;
  return {
    label,
    value,
    recommended: readFlag(given.recommended, false, `${place}.recommended`, complain),
    ...optionalText(given, 'description', place, complain),
    ...optionalText(given, 'preview', place, complain, LONGEST_PREVIEW),
  };
}

/** One text or several. A label stands for its value. */
function readDefault(
  given: unknown,
  options: readonly FormOption[],
  isMulti: boolean,
  place: string,
  complain: Complain,
): string[] | null {
  if (!isGiven(given) || given === '') return null;
  const list = Array.isArray(given) ? given : [given];
  if (list.length === 0) return null;
  if (list.length > (isMulti ? MOST_OPTIONS : 1)) {
    complain(
      place,
      isMulti ? `at most ${MOST_OPTIONS} are allowed` : 'must be one text: the question takes one answer',
    );
    return null;
  }
  return list.map((entry, i) => {
    const text = readText(entry, `${place}[${i}]`, complain);
    return options.find((o) => o.value === text)?.value ?? options.find((o) => o.label === text)?.value ?? text;
  });
}

/** Numbers and truth values are texts too; anything else is not. */
function readText(given: unknown, place: string, complain: Complain, longest = LONGEST_TEXT): string {
  const text = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given;
  if (typeof text !== 'string') complain(place, isGiven(given) ? 'must be a text' : 'is missing');
  else if (text.trim() === '') complain(place, 'must not be blank');
  else if (text.trim().length > longest)
    complain(place, `has ${text.trim().length} characters, at most ${longest} are allowed`);
  else if (text.includes('\0') || !text.isWellFormed()) complain(place, 'has a character that is not allowed');
  else return text.trim();
  return '';
}

function readFlag(given: unknown, otherwise: boolean, place: string, complain: Complain): boolean {
  if (!isGiven(given)) return otherwise;
  if (typeof given === 'boolean') return given;
  const said = typeof given === 'string' ? given.trim().toLowerCase() : '';
  if (said === 'true' || said === 'false') return said === 'true';
  complain(place, 'must be true or false');
  return otherwise;
}

/** Parses a list or an object that a model wrote as a JSON text. */
function parsed(given: unknown): unknown {
  if (typeof given !== 'string' || !/^\s*[[{]/.test(given)) return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first text that is not blank. */
const first = (fields: Fields, keys: readonly string[]): string | undefined =>
  keys.map((key) => fields[key]).find((value): value is string => typeof value === 'string' && value.trim() !== '');

const firstKnown = (fields: Fields, keys: readonly string[]): unknown =>
  fields[keys.find((key) => isGiven(fields[key])) ?? ''];

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 80));

function firstRepeat(values: readonly string[]): string | undefined {
  return values.find((value, i) => value !== '' && values.indexOf(value) < i);
}
