// Parses and matches the query language of every list of asks: `agent: tool: by: project: session: risk: is: after:
// before:`, words, "phrases", and `-` before any of them for what must not occur. Pure; the inbox of the page and of the
// terminal and the server's search of the history use the same terms, so a query means the same everywhere.

export const QUERY_FIELDS = ['agent', 'tool', 'by', 'project', 'session', 'risk', 'is', 'after', 'before'] as const;
type Field = (typeof QUERY_FIELDS)[number];

export interface QueryTerm {
  field: Field | 'any';
  /** In lower case. */
  text: string;
  isExcluded: boolean;
}

/** What a query is matched with. Texts of people and agents; names of fields, ids and digests are not searched. */
export interface Searched {
  askId: string;
  sessionId: string;
  title: string | undefined;
  agents: readonly (string | undefined)[];
  tool: string | undefined;
  projects: readonly string[];
  /** Who answered it, or is on it. */
  people: readonly string[];
  /** Assessing them takes time: only asked for where a term needs them. */
  risks(): readonly string[];
  /** Its kind, its status, and what else `is:` can name. */
  states: readonly string[];
  createdAt: number;
  /** In lower case, one line per text, so that no phrase matches across two texts. */
  text(): string;
}

const MOST_TERMS = 16;
/** What lists show of an id; a shorter ending would match by chance. */
const SHORTEST_ID_ENDING = 6;
const TERM = /(-?)(?:([a-z]+):("[^"]*"?|\S*)|"([^"]*)"?|(\S+))/g;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const isDay = (text: string): boolean => DAY.test(text) && !Number.isNaN(Date.parse(text));

export const parseQuery = (query: string): QueryTerm[] => read(query).terms;

/** Parts that are left out, as they are written: a prefix without a value, and a date that is none. */
export const unreadParts = (query: string): string[] => read(query).unread;

function read(query: string): { terms: QueryTerm[]; unread: string[] } {
  const terms = new Map<string, QueryTerm>();
  const unread: string[] = [];
  for (const [whole, minus, prefix, value, quoted, word] of query.toLowerCase().matchAll(TERM)) {
    const field = QUERY_FIELDS.find((name) => name === prefix);
    // A word with an unknown prefix is a plain word; a lone minus is one too.
    const text = (field ? (value ?? '').replaceAll('"', '') : (quoted ?? word ?? whole.slice(minus?.length))).trim();
    // A prefix without a value, or a date without its day, is still being typed.
    const isUnfinished = text === '' || ((field === 'after' || field === 'before') && !isDay(text));
    if (isUnfinished && field) unread.push(whole);
    if (isUnfinished || terms.size === MOST_TERMS) continue;
    const term = { field: field ?? ('any' as const), text, isExcluded: minus === '-' };
    terms.set(`${minus}${field}:${text}`, term);
  }
  return { terms: [...terms.values()], unread };
}

/** Every term must match, and none that is excluded. */
export const isFound = (terms: readonly QueryTerm[], searched: Searched): boolean =>
  terms.every((term) => matches(term, searched) !== term.isExcluded);

function matches({ field, text }: QueryTerm, searched: Searched): boolean {
  const includes = (value: string | undefined) => value?.toLowerCase().includes(text) ?? false;
  switch (field) {
    case 'agent':
      return searched.agents.some(includes);
    case 'tool':
      return includes(searched.tool);
    case 'by':
      return searched.people.some(includes);
    case 'project':
      return searched.projects.some(includes);
    case 'risk':
      return searched.risks().some((risk) => risk.startsWith(text.replaceAll('-', '_')));
    case 'is':
      return searched.states.some((state) => state.startsWith(text));
    case 'session':
      return isSession(searched, text);
    case 'after':
      return searched.createdAt >= Date.parse(text);
    case 'before':
      return searched.createdAt < Date.parse(text);
    case 'any':
      return isId(searched.askId, text) || searched.sessionId.toLowerCase() === text || searched.text().includes(text);
  }
}

const isId = (id: string, text: string): boolean =>
  id.toLowerCase() === text || (text.length >= SHORTEST_ID_ENDING && id.toLowerCase().endsWith(text));

const isSession = ({ sessionId, title = '' }: Searched, text: string): boolean =>
  sessionId.toLowerCase().startsWith(text) || title.toLowerCase().includes(text);

interface Asked {
  tool_name?: string;
  input?: Record<string, unknown>;
  reason?: string;
  suggestions?: unknown[] | undefined;
  diff?: string | undefined;
  context?: string | undefined;
  lineage?: string[] | undefined;
  questions?: readonly {
    header: string;
    question: string;
    placeholder?: string | undefined;
    options: readonly { label: string; description?: string | undefined; preview?: string | undefined }[];
  }[];
}

/** The texts of what is asked: of an approval with its input and diff, of questions with their options. */
export function askedTexts({ questions = [], lineage = [], ...asked }: Asked): (string | undefined)[] {
  const options = questions.flatMap((question) => question.options);
  return [
    asked.tool_name,
    ...textsIn(asked.input),
    asked.reason,
    ...textsIn(asked.suggestions),
    asked.diff,
    asked.context,
    ...questions.flatMap(({ header, question, placeholder }) => [header, question, placeholder]),
    ...options.flatMap(({ label, description, preview }) => [label, description, preview]),
    ...lineage,
  ];
}

export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

export const searchText = (texts: readonly (string | undefined)[]): string =>
  texts
    .filter((text) => text !== undefined)
    .join('\n')
    .toLowerCase();
