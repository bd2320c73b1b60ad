// Renders the part of Go's text/template that the Helm chart uses, with Helm's functions of the same names: if, else, with, range,
// define, variables, pipelines. Anything else is an error, so that the chart stays within what is rendered here.
import { stringify } from 'yaml';

type Value = unknown;
interface Block {
  action: string;
  body: Node[];
  otherwise: Node[];
}
type Node = { text: string } | Block;
interface Scope {
  dot: Value;
  variables: Map<string, Value>;
}

const ACTION = /\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/g;
const BLOCK = /^(if|with|range|define)\b/;
const WORD = /"(?:[^"\\]|\\.)*"|\(|\)|\||:=|[^\s()|]+/g;

/** `files`: all templates of a chart. Returns the text of each, in their order. */
export function renderChart(files: readonly string[], values: Record<string, Value>): string[] {
  const defined = new Map<string, Node[]>();
  const trees = files.map((file) => parse(file));
  for (const node of trees.flat())
    if ('action' in node && node.action.startsWith('define')) defined.set(unquoted(node.action.slice(7)), node.body);
  const renderer = new Renderer(defined);
  return trees.map((tree) => renderer.render(tree, { dot: values, variables: new Map([['$', values]]) }));
}

function parse(file: string): Node[] {
  const root: Node[] = [];
  const open: { node: Block; into: Node[] }[] = [];
  const into = (): Node[] => open.at(-1)?.into ?? root;
  let at = 0;
  let trims = false;
  const text = (until: number, trimEnd: boolean) => {
    const raw = file.slice(at, until);
    const left = trims ? raw.trimStart() : raw;
    into().push({ text: trimEnd ? left.trimEnd() : left });
  };
  for (const { 0: whole, 1: left, 2: action = '', 3: right, index } of file.matchAll(ACTION)) {
    text(index, left === '-');
    at = index + whole.length;
    trims = right === '-';
    if (action === 'end') open.pop();
    else if (action === 'else') Object.assign(open.at(-1) ?? {}, { into: open.at(-1)?.node.otherwise });
    else {
      const node: Block = { action, body: [], otherwise: [] };
      into().push(node);
      if (BLOCK.test(action)) open.push({ node, into: node.body });
    }
  }
  text(file.length, false);
  if (open.length > 0) throw new Error(`without an end: ${open.at(-1)?.node.action}`);
  return root;
}

class Renderer {
  readonly #defined: ReadonlyMap<string, Node[]>;

  constructor(defined: ReadonlyMap<string, Node[]>) {
    this.#defined = defined;
  }

  render(nodes: readonly Node[], scope: Scope): string {
    return nodes.map((node) => ('text' in node ? node.text : this.#act(node, scope))).join('');
  }

  #act({ action, body, otherwise }: Block, scope: Scope): string {
    const [block] = BLOCK.exec(action) ?? [];
    if (block === 'define') return '';
    if (block === undefined) return this.#print(action, scope);
    const value = this.#pipeline(action.slice(block.length), scope);
    const within = (dot: Value, nodes: Node[]) => this.render(nodes, { ...scope, dot });
    if (block === 'range' && Array.isArray(value)) return value.map((item) => within(item, body)).join('');
    if (!isTrue(value)) return within(scope.dot, otherwise);
    return within(block === 'with' ? value : scope.dot, body);
  }

  #print(action: string, scope: Scope): string {
    const [, name, pipeline] = /^(\$\w+)\s*:=\s*(.+)$/s.exec(action) ?? [];
    if (name === undefined) return String(this.#pipeline(action, scope) ?? '');
    scope.variables.set(name, this.#pipeline(pipeline ?? '', scope));
    return '';
  }

  #pipeline(text: string, scope: Scope): Value {
    const words = text.match(WORD) ?? [];
    return this.#evaluate(words, scope);
  }

  /** The value of each command is the last argument of the next. */
  #evaluate(words: string[], scope: Scope): Value {
    let result: Value[] = [];
    do {
      const [first = '', ...args] = this.#command(words, scope);
      const call = typeof first === 'function' ? (first as (...given: Value[]) => Value) : undefined;
      result = [call ? call(...args, ...result) : first];
    } while (words.shift() === '|');
    return result[0];
  }

  #command(words: string[], scope: Scope): Value[] {
    const terms: Value[] = [];
    while (words.length > 0 && words[0] !== '|' && words[0] !== ')') {
      const word = words.shift() ?? '';
      terms.push(word === '(' ? this.#evaluate(words, scope) : this.#term(word, scope));
    }
    return terms;
  }

  #term(word: string, scope: Scope): Value {
    if (word.startsWith('"')) return unquoted(word);
    if (/^-?\d+$/.test(word)) return Number(word);
    if (word.startsWith('.')) return fieldOf(scope.dot, word.slice(1));
    if (word.startsWith('$'))
      return fieldOf(scope.variables.get(/^\$\w*/.exec(word)?.[0] ?? ''), word.replace(/^\$\w*\.?/, ''));
    const known: Record<string, (...args: never[]) => Value> = {
      ...FUNCTIONS,
      include: (name: string, dot: Value) => this.render(this.#template(name), { ...scope, dot }),
    };
    const found = known[word];
    if (!found) throw new Error(`the chart uses ${word}, which is not rendered here`);
    return found;
  }

  #template(name: string): Node[] {
    const found = this.#defined.get(name);
    if (!found) throw new Error(`no template is called ${name}`);
    return found;
  }
}

const FUNCTIONS = {
  quote: (value: Value) => JSON.stringify(String(value)),
  default: (other: Value, value: Value) => (isTrue(value) ? value : other),
  required(message: string, value: Value) {
    if (value === undefined || value === '') throw new Error(message);
    return value;
  },
  toYaml: (value: Value) => stringify(value).trimEnd(),
  nindent: (width: number, text: string) => `\n${text.replaceAll(/^(?=.)/gm, ' '.repeat(width))}`,
  int: Number,
  gt: (a: number, b: number) => a > b,
};

const unquoted = (word: string): string => JSON.parse(word.trim()) as string;

const isTrue = (value: Value): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/** `Values.image.tag`. Stricter than Helm: a name that is not there is an error. */
function fieldOf(from: Value, path: string): Value {
  return path
    .split('.')
    .filter(Boolean)
    .reduce<Value>((value, name) => {
      if (typeof value !== 'object' || value === null || !(name in value)) throw new Error(`there is no ${path}`);
      return (value as Record<string, Value>)[name];
    }, from);
}
