// Reads a shell command line into every simple command that it would run: in pipelines, lists, compound commands,
// functions, substitutions and here-documents, and behind wrappers. Follows bash; where shells differ, or a text is too
// complex to be read in bounded time, it says so instead of guessing.
import {
  type Command,
  forEachChild,
  type HereDoc,
  type ParsedScript,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash';
import type { ShellCommand, ShellReading, ShellRedirection } from './command.ts';
import { innerCommands } from './inner-commands.ts';
import { ARITHMETIC_TESTS, assignedBy, evaluates } from './shell-builtins.ts';
import { isPlain, literalWord, type ShellWord, shellWord } from './word.ts';

/** Longer lines, and ones beyond the other limits, are not read. The parser takes quadratic time in braces, `<<` and `$((`. */
const MOST_CHARACTERS = 64 * 1024;
const MOST_BRACES = 500;
const MOST_HERE_DOCUMENTS = 100;
const MOST_ARITHMETIC = 100;
const MOST_COMMANDS = 1000;
const MOST_DEPTH = 16;
/** Nested scripts are read again at every level: the sum of their lengths is limited. */
const MOST_NESTED_CHARACTERS = 4 * MOST_CHARACTERS;

export function readShell(line: string): ShellReading {
  const excess = excessOf(line);
  if (excess) return { commands: [], unknown: excess };
  const reader: Reader = { commands: [], left: MOST_NESTED_CHARACTERS };
  readScript(reader, line, { depth: 0 });
  const { commands, unknown, unknownIn } = reader;
  return { commands, ...(unknown !== undefined && { unknown }), ...(unknownIn && { unknownIn }) };
}

function excessOf(line: string): string | undefined {
  if (line.length > MOST_CHARACTERS) return `it is longer than ${MOST_CHARACTERS} characters`;
  if (line.includes('\0')) return 'it contains a NUL character';
  if (count(line, '{', MOST_BRACES) > MOST_BRACES) return `it has more than ${MOST_BRACES} braces`;
  if (count(line, '<<', MOST_HERE_DOCUMENTS) > MOST_HERE_DOCUMENTS)
    return `it has more than ${MOST_HERE_DOCUMENTS} here-documents`;
  if (count(line, '((', MOST_ARITHMETIC) > MOST_ARITHMETIC)
    return `it has more than ${MOST_ARITHMETIC} arithmetic expressions`;
  return undefined;
}

function count(line: string, part: string, most: number): number {
  let found = 0;
  for (let at = line.indexOf(part); at >= 0 && found <= most; at = line.indexOf(part, at + 1)) found += 1;
  return found;
}

interface Reader {
  commands: ShellCommand[];
  left: number;
  unknown?: string;
  unknownIn?: ShellCommand | undefined;
}

interface Place {
  depth: number;
  within?: ShellCommand | undefined;
  /** Of the word that holds a nested script, in the whole line; positions inside the script mean nothing outside it. */
  at?: { pos: number; end: number } | undefined;
}

interface Scope extends Place {
  reader: Reader;
  source: string;
}

/** Records why the line cannot be read, once. */
function giveUp(reader: Reader, why: string, within?: ShellCommand | undefined): void {
  if (reader.unknown !== undefined) return;
  reader.unknown = why;
  reader.unknownIn = within;
}

function readScript(reader: Reader, source: string, place: Place): void {
  if (place.depth > MOST_DEPTH) {
    giveUp(reader, `it nests commands more than ${MOST_DEPTH} deep`);
    return;
  }
  let script: ParsedScript;
  try {
    script = parse(source);
    visitScript({ ...place, reader, source }, script);
  } catch {
    // The parser recurses; a text that nests too deeply ends it.
    giveUp(reader, 'it nests too deeply', place.within);
  }
}

function visitScript(scope: Scope, script: ParsedScript): void {
  const [error] = script.errors ?? [];
  if (error) giveUp(scope.reader, `it cannot be parsed: ${error.message}`, scope.within);
  for (const statement of script.commands) visit(scope, statement);
}

function visit(scope: Scope, node: SyntaxNode): void {
  if (scope.reader.commands.length >= MOST_COMMANDS) {
    giveUp(scope.reader, `it has more than ${MOST_COMMANDS} commands`);
    return;
  }
  switch (node.type) {
    case 'Word':
      if (isPlain(node)) return;
      break;
    case 'Command':
      visitCommand(scope, node);
      return;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      visitNested(scope, node.text, node.script);
      return;
    case 'For':
    case 'Select':
      add(scope, node, { assigns: [node.name.value] });
      break;
    case 'Coproc':
      add(scope, node, { assigns: [node.name?.value ?? 'COPROC'] });
      break;
    case 'TestCommand':
      add(scope, node, { words: [literalWord('[[', node.pos, node.pos + 2)] });
      break;
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
      // A POSIX shell runs `((a b))` as a command in two subshells.
      add(scope, node, { unknown: 'shells read (( differently' });
      break;
    case 'TestUnary':
      if (ARITHMETIC_TESTS.has(node.operator)) checkArithmetic(scope, node.operand);
      break;
    case 'TestBinary':
      if (ARITHMETIC_TESTS.has(node.operator)) for (const word of [node.left, node.right]) checkArithmetic(scope, word);
      break;
    case 'Redirected': {
      const redirections = node.redirects.map(redirection);
      if (redirections.some(({ writes, target }) => writes || target.kind !== 'literal'))
        add(scope, node, { redirections });
      break;
    }
    case 'ExtendedGlob':
      giveUp(scope.reader, 'what an extended glob means depends on settings of the shell');
      break;
    default:
  }
  forEachChild(node, (child) => visit(scope, child));
}

function visitNested(scope: Scope, text: string, script: ParsedScript | undefined): void {
  const { reader, depth } = scope;
  reader.left -= text.length;
  if (!script || depth >= MOST_DEPTH || reader.left < 0) {
    giveUp(reader, `it nests commands more than ${MOST_DEPTH} deep, or more text than is read`);
    return;
  }
  // Positions in a script in backticks with escapes are positions in its own decoded source.
  const at = script.source === undefined ? scope.at : (scope.at ?? { pos: script.pos, end: script.end });
  visitScript({ ...scope, depth: depth + 1, source: script.source ?? scope.source, at }, script);
}

/** A subscript in an arithmetic operand is expanded again: `[[ 'a[$(cmd)]' -eq 0 ]]` runs cmd. */
function checkArithmetic(scope: Scope, word: Word): void {
  if (evaluates(shellWord(word))) giveUp(scope.reader, 'it evaluates a text as arithmetic');
}

type Found = Pick<ShellCommand, 'words' | 'assigns' | 'values' | 'redirections' | 'isWrapper'> & {
  unknown?: string | undefined;
};
const NOTHING: Found = { words: [], assigns: [], values: [], redirections: [], isWrapper: false };

function add(scope: Scope, { pos, end }: { pos: number; end: number }, found: Partial<Found>): ShellCommand {
  const { unknown, ...rest } = { ...NOTHING, ...found };
  const command: ShellCommand = {
    ...rest,
    text: scope.source.slice(pos, end),
    ...(scope.at ?? { pos, end }),
    ...(unknown !== undefined && { unknown }),
    ...(scope.within && { within: scope.within }),
  };
  scope.reader.commands.push(command);
  return command;
}

function visitCommand(scope: Scope, node: Command): void {
  const words = [...(node.name ? [node.name] : []), ...node.args].map((word) =>
    word.type === 'Word' ? shellWord(word) : literalWord(word.text, word.pos, word.end),
  );
  const assignments = [...node.prefix, ...node.suffix].filter((item) => item.type === 'Assignment');
  const variables = node.redirects.flatMap(({ descriptor }) =>
    descriptor?.type === 'FileDescriptorVariable' ? [descriptor.name] : [],
  );
  const command = addCommand(scope, node, {
    words,
    redirections: node.redirects.map(redirection),
    assigns: [...assignments.map(({ name }) => name), ...variables],
    values: assignments.flatMap(({ value }) => (value.type === 'Word' ? [value] : value.elements)).map(shellWord),
  });
  if (!isBare(node)) forEachChild(node, (child) => visit({ ...scope, within: command }, child));
}

/** Words without expansions, and nothing else: no command can be inside. */
const isBare = ({ name, args, prefix, suffix, redirects }: Command): boolean =>
  prefix.length === 0 &&
  suffix.length === 0 &&
  redirects.length === 0 &&
  name?.parts === undefined &&
  args.every((word) => word.type === 'Word' && word.parts === undefined);

/** Adds a command and the ones that it runs as a wrapper. */
function addCommand(
  scope: Scope,
  place: { pos: number; end: number },
  found: Omit<Found, 'isWrapper' | 'unknown'>,
): ShellCommand {
  const inner = innerCommands(found.words, found.redirections);
  const command = add(scope, place, {
    ...found,
    assigns: [...found.assigns, ...assignedBy(found.words)],
    isWrapper: inner.length > 0,
    unknown: inner.find((each) => each.kind === 'unknown')?.why,
  });
  const { reader, depth } = scope;
  for (const each of inner) {
    if (depth >= MOST_DEPTH) giveUp(reader, `it nests commands more than ${MOST_DEPTH} deep`);
    else if (each.kind === 'words' && each.words[0]) {
      const span = { pos: each.words[0].pos, end: Math.max(...each.words.map(({ end }) => end)) };
      addCommand({ ...scope, depth: depth + 1, within: command }, span, { ...NOTHING, ...each });
    } else if (each.kind === 'script') {
      reader.left -= each.text.length;
      const excess = reader.left < 0 ? 'it holds more text than is read' : excessOf(each.text);
      if (excess) giveUp(reader, excess, command);
      else readScript(reader, each.text, { depth: depth + 1, within: command, at: scope.at ?? place });
    }
  }
  return command;
}

function redirection(node: Redirection): ShellRedirection {
  if (node.type === 'HereDoc') return { operator: node.operator, target: bodyWord(node), writes: false };
  const target = node.target ? shellWord(node.target) : literalWord('', node.pos, node.end);
  return { operator: node.operator, target, writes: node.type === 'Redirect' && writes(node.operator, target) };
}

function bodyWord({ body }: HereDoc): ShellWord {
  const { pos, end, text } = body;
  return shellWord({ type: 'Word', text: '', value: text, pos, end, parts: body.parts });
}

function writes(operator: string, { kind, text }: ShellWord): boolean {
  if (kind !== 'literal') return operator !== '<';
  if (operator === '<&' || operator === '>&') return !/^(?:\d+-?|-)$/.test(text);
  if (/^\/dev\/(?:tcp|udp)\//.test(text)) return true;
  return operator !== '<' && text !== '/dev/null';
}
