// Words the issues of a schema in plain English: "is required", "must be an array, not a string". Messages that a schema gives
// itself are kept.

/** An issue of zod, as far as it is read here. */
export interface SchemaIssue {
  code?: string | undefined;
  message: string;
  expected?: unknown;
  origin?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  inclusive?: unknown;
  keys?: unknown;
  values?: unknown;
  options?: unknown;
  errors?: unknown;
}

export function issueText(issue: SchemaIssue): string {
  const { code, message } = issue;
  if (code === 'invalid_type') return typeText(issue);
  if (code === 'too_small') return sizeText(issue, issue.minimum, 'at least', 'more than');
  if (code === 'too_big') return sizeText(issue, issue.maximum, 'at most', 'less than');
  if (code === 'unrecognized_keys') return `has no field ${quoted(issue.keys).join(', ')}`;
  if (code === 'invalid_value') return isMissing(issue) ? REQUIRED : `must be ${quoted(issue.values).join(' or ')}`;
  if (code === 'invalid_union') return unionText(issue);
  return message;
}

const REQUIRED = 'is required';

const NOUNS: Record<string, string> = {
  string: 'a string',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};
const nounOf = (type: string): string => NOUNS[type] ?? type;

const received = ({ message }: SchemaIssue): string => / received (\w+)/.exec(message)?.[1] ?? '';
const isMissing = (issue: SchemaIssue): boolean => received(issue) === 'undefined';

function typeText(issue: SchemaIssue): string {
  if (isMissing(issue)) return REQUIRED;
  const [wanted, given] = [nounOf(String(issue.expected)), nounOf(received(issue))];
  return given === '' || wanted === given || issue.expected === 'int'
    ? `must be ${wanted}`
    : `must be ${wanted}, not ${given}`;
}

function sizeText({ origin, inclusive }: SchemaIssue, limit: unknown, closed: string, open: string): string {
  if (origin === 'string' && closed === 'at least' && limit === 1) return 'must not be empty';
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'entry' : undefined;
  if (unit === undefined) return `must be ${inclusive === false ? open : closed} ${limit}`;
  const units = limit === 1 ? unit : unit === 'entry' ? 'entries' : `${unit}s`;
  return `must have ${closed} ${limit} ${units}`;
}

function unionText({ options, errors, message }: SchemaIssue): string {
  if (Array.isArray(options)) return `must be ${quoted(options).join(' or ')}`;
  const texts = (Array.isArray(errors) ? (errors as SchemaIssue[][]) : []).map(([first]) => first && issueText(first));
  const wanted = texts.flatMap((text) => text?.match(/^must be (.+?)(?:, not .+)?$/)?.[1] ?? []);
  return wanted.length > 0 ? `must be ${[...new Set(wanted)].join(' or ')}` : message;
}

const quoted = (values: unknown): string[] =>
  (Array.isArray(values) ? values : []).map((value) => JSON.stringify(value));
