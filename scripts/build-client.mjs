// Builds the client that programs import into packages/client/dist: one JavaScript file of our own sources, and declarations
// without zod. The server's package contains the same folder. The declarations of src/client are tsc's own; of the other
// folders only what they name is written, as plain types that tsc has resolved: a user's compiler needs neither zod nor the domain.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { root } from './node.mjs';

const out = join(root, 'packages', 'client', 'dist');
/** What is built from which file of src. */
const ENTRIES = { index: 'client/holdpoint', testing: 'testing/test-server', runtime: 'agents/kit/runtime' };
/** The client depends on nothing: of zod it needs a hundredth, and two of these declare a newer Node than they need. */
const BUILT_IN = ['zod', 'canonicalize', 'env-paths', 'is-safe-filename', 'eventsource-parser'];
/** Files whose declarations are kept as tsc writes them. */
const OURS = /^(client|testing|agents\/kit)\//;
const IMPORT = /import (?:type )?([^;]*?) from '(\.[^']+)';/g;
const EXPORT = /export (?:type )?(\{[^}]*\}) from '(\.[^']+)';/g;
const INLINE = /(typeof )?import\("(\.[^"]+)"\)\.(\w+)/g;

/** What the schemas are to a reader of types: what goes in and what comes out. */
const SCHEMA = `export interface ZodType<Output = unknown, Input = unknown> {
    readonly output: Output;
    readonly input: Input;
}
export type input<S extends ZodType> = S['input'];
export type output<S extends ZodType> = S['output'];
export type { output as infer };
`;
/** The conditional types make tsc print the structure instead of a name. */
const PROBE = `type Plain<T> = T extends AbortSignal | Uint8Array ? T
  : T extends (...args: infer A) => infer R ? (...args: Plain<A> & unknown[]) => Plain<R>
  : T extends object ? (T extends infer O ? { [K in keyof O]: Plain<O[K]> } : never) : T;
declare function type<T>(): Plain<T>;
declare function schema<S extends { _zod: { output: unknown; input: unknown } }>():
  { readonly output: Plain<S['_zod']['output']>; readonly input: Plain<S['_zod']['input']> };
`;

const work = mkdtempSync(join(root, 'node_modules', '.client-'));
try {
  rmSync(out, { recursive: true, force: true });
  await bundle();
  for (const name of BUILT_IN) copyFileSync(licenseOf(name), join(out, `LICENSE.${name}`));
  declarations();
} finally {
  rmSync(work, { recursive: true, force: true });
}

function licenseOf(name) {
  const folder = join(root, 'node_modules', name);
  return join(
    folder,
    readdirSync(folder).find((file) => /^license/i.test(file)),
  );
}

async function bundle() {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    ssr: { noExternal: BUILT_IN },
    build: {
      ssr: true,
      outDir: out,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(ENTRIES).map(([name, file]) => [name, join(root, 'src', `${file}.ts`)]),
        ),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
}

function declarations() {
  const all = join(work, 'all');
  tsc('-p', 'tsconfig.build.json', '--declaration', '--emitDeclarationOnly', '--outDir', all);
  const { files, named } = reachable(all);
  for (const [file, text] of files) write(file, text);
  write('schema', SCHEMA);
  for (const [file, text] of plainTypes(named, all)) write(file, text);
}

function write(file, text) {
  const path = join(out, 'types', `${file}.d.ts`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The declarations of the client's files, and the names of the core that they use: `file → name → is it a schema`. */
function reachable(all) {
  const files = new Map();
  const named = new Map();
  const queue = Object.values(ENTRIES);
  const use = (target, names) => {
    if (OURS.test(target)) queue.push(target);
    else note(named, target, names);
  };
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file)) continue;
    const source = readFileSync(join(all, `${file}.d.ts`), 'utf8');
    for (const [, what, from] of [...source.matchAll(IMPORT), ...source.matchAll(EXPORT)])
      use(targetOf(file, from), namesIn(what, source));
    for (const [, isSchema, from, name] of source.matchAll(INLINE))
      use(targetOf(file, from), [[name, isSchema !== undefined]]);
    files.set(
      file,
      source
        .replace("import type { z } from 'zod';", "import type * as z from '../schema.js';")
        .replaceAll(/((?:from '|import\(")\.[^'"]*)\.ts(?=['"])/g, '$1.js'),
    );
  }
  return { files, named };
}

function targetOf(file, from) {
  return posix.join(posix.dirname(file), from).replace(/\.ts$/, '');
}

function note(named, target, names) {
  const known = named.get(target) ?? new Map();
  for (const [name, isSchema] of names) known.set(name, known.get(name) || isSchema);
  named.set(target, known);
}

/** Of `{ A, type B }` its names; of `* as x` every `x.Name`. `typeof Name` means a schema. */
function namesIn(what, source) {
  const space = /\* as (\w+)/.exec(what)?.[1];
  const members = space
    ? [...source.matchAll(new RegExp(`\\b${space}\\.([A-Z]\\w*)`, 'g'))].map(([, name]) => name)
    : [];
  const listed = space
    ? members
    : what
        .replace(/[{}]/g, '')
        .split(',')
        .map((name) => name.trim().replace(/^type /, ''));
  return listed.filter(Boolean).map((name) => {
    const isSchema = new RegExp(`typeof ${space ? `${space}\\.` : ''}${name}\\b`).test(source);
    return [name, isSchema];
  });
}

/** A generic type is taken as it is written; everything else as tsc resolves it. */
function plainTypes(named, all) {
  const lines = [PROBE];
  const generic = new Map();
  for (const [file, names] of named) {
    const source = readFileSync(join(all, `${file}.d.ts`), 'utf8');
    const space = file.replace(/\W/g, '_');
    lines.push(`import type * as ${space} from ${JSON.stringify(join(root, 'src', `${file}.ts`))};`);
    for (const [name, isSchema] of names) {
      const written = new RegExp(`export type ${name}<[^]*?;\\n(?=export|$)`).exec(source)?.[0];
      if (written) generic.set(`${file} ${name}`, written);
      else if (isSchema) lines.push(`export const ${space}$${name} = schema<typeof ${space}.${name}>();`);
      else lines.push(`export const ${space}$${name} = type<${space}.${name}>();`);
    }
  }
  const probe = join(work, 'probe.ts');
  writeFileSync(probe, lines.join('\n'));
  const config = {
    extends: join(root, 'tsconfig.build.json'),
    include: [probe],
    exclude: [],
    compilerOptions: { rootDir: '/' },
  };
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify(config));
  tsc('-p', join(work, 'tsconfig.json'), '--declaration', '--emitDeclarationOnly', '--outDir', join(work, 'plain'));
  const printed = readFileSync(join(work, 'plain', work, 'probe.d.ts'), 'utf8');
  return [...named].map(([file, names]) => [
    file,
    [...names].map(([name, isSchema]) => declared(file, name, isSchema)).join('\n'),
  ]);

  function declared(file, name, isSchema) {
    const copied = generic.get(`${file} ${name}`);
    if (copied) return copied;
    const start = `export declare const ${file.replace(/\W/g, '_')}$${name}: `;
    const from = printed.indexOf(start);
    if (from < 0) throw new Error(`tsc printed no type for ${name} of src/${file}.ts`);
    const end = printed.indexOf('\nexport declare const ', from + 1);
    const type = printed.slice(from + start.length, end < 0 ? undefined : end).trim();
    return isSchema ? `export declare const ${name}: ${type}` : `export type ${name} = ${type}`;
  }
}

function tsc(...args) {
  execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
