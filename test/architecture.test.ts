// Keeps the layout honest: which folder may import what, what core may not touch, sizes, names and opening comments.
// The table below is the architecture; a breach fails the build and names the file and the import.
// It reads text, not types: what a file imports, never what it does with it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const FEATURES = ['threads', 'forms', 'skills', 'rules', 'notices'];

/** layer → the other layers it may import. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  node: [],
  gateway: ['core'],
  store: ['core', 'node'],
  ...Object.fromEntries(FEATURES.map((feature) => [feature, ['core', 'gateway']])),
  server: ['core', 'gateway', 'node', ...FEATURES],
  mcp: ['core', 'gateway', ...FEATURES],
  client: ['core', 'node'],
  testing: ['core', 'client'],
  agents: ['core', 'client', 'node'],
  worker: ['core', 'client', 'agents', 'node'],
  cli: ['core', 'client', 'boot', 'node'],
  web: ['client', 'core'],
};
const CORE_LIBRARIES = ['zod', 'canonicalize', 'unbash'];
const CORE_NEVER_SAYS =
  /\bDate\.now\b|\bMath\.random\b|\bnew Date\(|\basync\b|\bawait\b|\bPromise\b|\bperformance\.now\b|\brandomUUID\b|\bset(?:Timeout|Interval)\b/g;
/** Types only: what core is given from outside is asynchronous, core itself is not. */
const PORTS = 'src/core/ports.ts';
const STARTS_PROCESSES = ['worker', 'testing'];
/** The person's own editor and git, at the person's own terminal. */
const OWN_PROGRAMS = ['src/cli/prompt/editor.ts', 'src/cli/witness-command.ts'];

const VAGUE = /(^|\/)(utils?|helpers?|common|misc|manager|service)s?(\/|\.[a-z]+$)/;
const CODE = /\.(ts|tsx|js|mjs)$/;
const MAX_LINES = 400;
const MAX_OPENING_LINES = 8;

/** Folders of test/ that mirror one of src/. The others test several layers at once: browser, examples, faults, fuzz… */
const MIRRORED = [...Object.keys(MAY_IMPORT), 'boot'];
/** Suites below a mirrored folder that exercise many files at once. */
const SUITES = /^test\/(agents\/(real\/|conformance\.test\.ts$)|web\/(layout|size)\.test\.ts$)/;
/** Types only: there is nothing to run. */
const WITHOUT_TEST = [PORTS];

/** The one file of core that the page runs: it has no imports, so no schema reaches the browser. */
const PAGE_MAY_RUN = 'core/hidden-characters.ts';

const files = ['src', 'test', 'bench', 'scripts', 'web', 'examples'].flatMap(walk);
const layered = files.filter((file) => /^(src|web)\/.*\.tsx?$/.test(file));

describe('architecture', () => {
  it('lets each layer import only what the table allows', () => {
    expect(layered.flatMap((file) => importBreaches(file, read(file)))).toEqual([]);
  });

  it('keeps the clock, randomness and promises out of core', () => {
    expect(layered.flatMap((file) => purityBreaches(file, read(file)))).toEqual([]);
  });

  it('keeps hand-written files within 400 lines', () => {
    const long = files.filter((file) => CODE.test(file) && read(file).trimEnd().split('\n').length > MAX_LINES);
    expect(long).toEqual([]);
  });

  it('names files and folders after what they hold', () => {
    expect(files.filter((file) => VAGUE.test(file))).toEqual([]);
  });

  it('opens every source file with a comment of 1 to 8 lines', () => {
    const silent = files.filter((file) => /^src\/.*\.ts$/.test(file) && !opensWithComment(read(file)));
    expect(silent).toEqual([]);
  });
});

describe('the tests', () => {
  const tests = files.filter((file) => file.endsWith('.test.ts'));
  const covered = tests.flatMap((file) => coveredBy(read(file)));

  it('have one for every source file: its mirror, or one that names it after `Covers:`', () => {
    const sources = layered.filter((file) => /^(web\/)?src\//.test(file) && MIRRORED.includes(layerOf(file)));
    const isCovered = (file: string) =>
      tests.includes(mirrorOf(file)) || covered.some((name) => name === file || isFolderOf(name, file));
    const untested = sources.filter((file) => !isCovered(file) && !WITHOUT_TEST.includes(file));
    expect(untested, 'add the mirror, or `// Covers: <file>` to the header of the test that exercises it').toEqual([]);
  });

  it('are the mirror of a source file, or name what they cover', () => {
    const mirrors = new Set(files.map(mirrorOf));
    const lost = tests.filter(
      (file) => MIRRORED.includes(file.split('/')[1] ?? '') && !mirrors.has(file) && !SUITES.test(file),
    );
    expect(lost.filter((file) => coveredBy(read(file)).length === 0)).toEqual([]);
  });

  it('name only what is there after `Covers:`', () => {
    expect(covered.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });
});

/** The folders of src/agents that are no agent. */
const SHARED = ['kit', 'workspace', 'wire'];
const agentNames = readdirSync(join(root, 'src/agents'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !SHARED.includes(entry.name))
  .map(({ name }) => name);
/** What the rest of the source may import: the contract, and the one scheme of ids for an ask that is repeated. */
const OPEN_TO_ALL = ['src/agents/agent.ts', 'src/agents/kit/ask-ids.ts'];
/** A file name that several agents use means the same in each. */
const ROLES =
  'agent run input protocol asks outputs resume attach connect hook launch settings program runtime elicitations requests decisions delivery-evidence rules side-questions';
/** Every agent has these; whoever can be attached has a connector too. */
const REQUIRED = ['agent.ts', 'run.ts', 'input.ts'];
/** Lists other makers' programs, some of which are agents of their own here. */
const KNOWN_PROGRAMS = 'src/agents/acp/known-agents.ts';
/** Where an agent is named as an example of a command line, or of a search. */
const HELP_TEXTS = [
  'src/cli/commands/run.ts',
  'src/cli/commands/hook.ts',
  // The command of the same name is for editors.
  'src/cli/commands/acp.ts',
  'src/cli/program.ts',
  // `npm exec` is not the agent.
  'src/cli/program-name.ts',
  // The surface of clients that speak the protocol of an agent.
  'src/core/ask.ts',
];

/** The door that speaks an agent's protocol to its clients, and the two files that lead to it. */
const PROTOCOL_DOOR = {
  folder: 'src/server/opencode/',
  agent: 'opencode',
  ways: ['src/server/app.ts', 'src/server/auth.ts'],
};

describe('the agent code', () => {
  const agentFiles = layered.filter((file) => file.startsWith('src/agents/'));
  const contract = [...read('src/agents/agent.ts').matchAll(/^export (?:interface|type) (\w+)/gm)].map(
    ([, name]) => name,
  );

  it('lets an agent import the contract, the kit, the workspace and the wire, and no other agent', () => {
    expect(agentFiles.flatMap((file) => agentImportBreaches(file, read(file)))).toEqual([]);
  });

  it('keeps the registry to the composition root, and the rest of the agents to their contract', () => {
    const others = layered.filter((file) => !file.startsWith('src/agents/') && !file.startsWith('src/boot/'));
    const reached = others.flatMap((file) =>
      importsOf(read(file))
        .map(({ specifier }) => normalize(join(dirname(file), specifier)))
        .filter((target) => target.startsWith('src/agents/') && !OPEN_TO_ALL.includes(target))
        .map((target) => `${file} imports ${target}`),
    );
    expect(reached).toEqual([]);
  });

  it('names an agent only in its own folder, in the registry and in listed help texts', () => {
    expect(layered.flatMap((file) => namedAgents(file, read(file)))).toEqual([]);
  });

  it('gives the same role the same file name in every agent folder', () => {
    const folders = agentNames.map((name) => readdirSync(join(root, 'src/agents', name)));
    for (const [i, files] of folders.entries()) expect(files, agentNames[i]).toEqual(expect.arrayContaining(REQUIRED));
    const shared = [...new Set(folders.flat())].filter(
      (file) => folders.filter((one) => one.includes(file)).length > 1,
    );
    expect(shared.filter((file) => !ROLES.split(' ').includes(file.replace(/\.ts$/, '')))).toEqual([]);
    const named = folders.flatMap((files, i) => files.filter((file) => file.includes(agentNames[i] ?? '')));
    expect(named).toEqual([]);
  });

  it('declares no type of the contract twice', () => {
    const elsewhere = layered.filter((file) => /^src\/(agents|worker|boot|cli|client)\//.test(file));
    const declared = elsewhere
      .filter((file) => file !== 'src/agents/agent.ts')
      .flatMap((file) =>
        [...read(file).matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm)].map(([, name]) => name),
      );
    expect(contract.length).toBeGreaterThan(20);
    expect(declared.filter((name) => contract.includes(name))).toEqual([]);
  });

  it('keeps its files within 300 lines', () => {
    expect(agentFiles.filter((file) => read(file).trimEnd().split('\n').length > 300)).toEqual([]);
  });
});

describe('the architecture check itself', () => {
  it.each([
    ['src/core/ask.ts', "import { x } from '../gateway/ask.ts';"],
    ['src/core/id.ts', "import { randomBytes } from 'node:crypto';"],
    ['src/core/log.ts', "import pino from 'pino';"],
    ['src/gateway/ask.ts', "import type {\n  Store,\n} from '../store/store.ts';"],
    ['src/server/app.ts', "export * from '../store/store.ts';"],
    ['src/server/app.ts', "const boot = await import('../boot/server.ts');"],
    ['src/forms/form.ts', "import '../threads/thread.ts';"],
    ['src/agents/claude.ts', "import { spawn } from 'node:child_process';"],
    ['src/cli/demo.ts', "import { spawn } from 'node:child_process';"],
    ['src/worker/host.ts', "import { boot } from '../boot/server.ts';"],
    ['web/inbox.tsx', "import { decide } from '../src/core/ask.ts';"],
    ['src/newcomer/thing.ts', 'export {};'],
  ])('catches %s: %s', (file, text) => {
    expect(importBreaches(file, text)).toHaveLength(1);
  });

  it.each([
    ['src/core/ask.ts', "import { z } from 'zod';\nimport { id } from './id.ts';"],
    ['src/boot/server.ts', "import { open } from '../store/sqlite.ts';"],
    ['src/cli/serve.ts', "import { boot } from '../boot/server.ts';"],
    ['src/server/routes/asks.ts', "import { ask } from '../../gateway/ask.ts';\nimport fastify from 'fastify';"],
    ['web/inbox.tsx', "import type { Ask } from '../src/core/ask.ts';"],
    ['src/gateway/ask.ts', '// the words import and from in a comment\nconst x = 1;'],
  ])('accepts %s: %s', (file, text) => {
    expect(importBreaches(file, text)).toEqual([]);
  });

  it('tells when an agent reaches into another one, or is named elsewhere', () => {
    const reach = "import { run } from '../codex/run.ts';\nimport { kit } from '../kit/ask-ids.ts';";
    expect(agentImportBreaches('src/agents/claude/run.ts', reach)).toHaveLength(1);
    expect(agentImportBreaches('src/agents/kit/ask-ids.ts', reach)).toHaveLength(1);
    expect(agentImportBreaches('src/agents/codex/asks.ts', reach)).toEqual([]);
    expect(namedAgents('src/core/a.ts', "const a = 'claude'; // Codex\n")).toHaveLength(2);
    expect(namedAgents('src/core/a.ts', "pattern.exec(text) === 'exec'")).toHaveLength(1);
    expect(namedAgents('src/cli/commands/run.ts', "'holdpoint run codex'")).toEqual([]);
  });

  it('sees impure code in core, not prose about it', () => {
    expect(purityBreaches('src/core/a.ts', 'const at = Date.now();')).toEqual(['src/core/a.ts says Date.now']);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test is itself a template
    expect(purityBreaches('src/core/a.ts', 'const s = `at ${Math.random()}`;')).toHaveLength(1);
    expect(purityBreaches('src/core/a.ts', 'async function f(): Promise<void> {}')).toHaveLength(2);
    const prose = "// no Promise\nconst s = 'async ' + `new Date(`;\nconst quote = /['`]/; /* Date.now */";
    expect(purityBreaches('src/core/a.ts', prose)).toEqual([]);
    expect(purityBreaches('src/gateway/a.ts', 'const at = Date.now();')).toEqual([]);
  });

  it('knows the mirror of a source file and what a test covers', () => {
    expect(mirrorOf('src/gateway/answer.ts')).toBe('test/gateway/answer.test.ts');
    expect(mirrorOf('web/src/state/inbox.ts')).toBe('test/web/state/inbox.test.ts');
    expect(mirrorOf('web/src/ui/card.tsx')).toBe('test/web/ui/card.test.ts');
    expect(
      coveredBy('// Answers.\n// Covers: src/a.ts, src/b/\n// Covers: src/c.ts\nimport x;\n// Covers: no'),
    ).toEqual(['src/a.ts', 'src/b/', 'src/c.ts']);
    expect(isFolderOf('src/b/', 'src/b/c.ts')).toBe(true);
    expect(isFolderOf('src/b', 'src/b/c.ts')).toBe(false);
  });

  it('tells vague names and missing opening comments', () => {
    expect(['src/core/utils.ts', 'src/helpers/a.ts', 'test/common.ts'].every((name) => VAGUE.test(name))).toBe(true);
    expect(VAGUE.test('src/core/commonality.ts')).toBe(false);
    expect(opensWithComment('// Owns ids.\n\nexport {};')).toBe(true);
    expect(opensWithComment('/**\n * Owns ids.\n */\nexport {};')).toBe(true);
    expect(opensWithComment('export {};')).toBe(false);
    expect(opensWithComment('// line\n'.repeat(MAX_OPENING_LINES + 1))).toBe(false);
  });
});

/** `src/a/b.ts` → `test/a/b.test.ts` */
function mirrorOf(file: string): string {
  return file.replace(/^(web\/)?src\//, (_, web = '') => `test/${web}`).replace(/\.tsx?$/, '.test.ts');
}

/** What the opening comment of a test says that it covers: files, and folders that end in a slash. */
function coveredBy(text: string): string[] {
  const opening = /^(?:\/\/[^\n]*\n)*/.exec(text)?.[0] ?? '';
  return [...opening.matchAll(/^\/\/ Covers: (.*)$/gm)].flatMap(([, names = '']) => names.split(', '));
}

function isFolderOf(folder: string, file: string): boolean {
  return folder.endsWith('/') && file.startsWith(folder);
}

function agentImportBreaches(file: string, text: string): string[] {
  const [, , folder = ''] = file.split('/');
  if (file === 'src/agents/registry.ts') return [];
  return importsOf(text)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => normalize(join(dirname(file), specifier)))
    .filter((target) => {
      const [, layer, other = ''] = target.split('/');
      const isAgent = layer === 'agents' && agentNames.includes(other);
      return target === 'src/agents/registry.ts' || (isAgent && other !== folder);
    })
    .map((target) => `${file} imports ${target}`);
}

/** Names that are words of their own count everywhere, names that are common words only as a whole string. */
function namedAgents(file: string, text: string): string[] {
  const common = ['exec', 'mock', 'amp', 'acp'];
  return agentNames.flatMap((name) => {
    if (file === KNOWN_PROGRAMS) return [];
    if (file.startsWith(`src/agents/${name}/`) || file === 'src/agents/registry.ts') return [];
    if (file.startsWith(PROTOCOL_DOOR.folder) && name === PROTOCOL_DOOR.agent) return [];
    const pattern = common.includes(name) ? `['"\`]${name}['"\`]` : name;
    const lines = text.split('\n').filter((line) => new RegExp(pattern, 'i').test(line));
    const isHelp = (line: string) =>
      HELP_TEXTS.includes(file) &&
      /holdpoint |agent:|for the agent|new Command|proxyEditor|'Work:'|such as|npm_command|const SURFACES/.test(line);
    const isWay = (line: string) =>
      PROTOCOL_DOOR.ways.includes(file) && /^import .*\.\/opencode\/|^ +addOpencode\(/.test(line);
    return lines.filter((line) => !isHelp(line) && !isWay(line)).map((line) => `${file} names ${name}: ${line.trim()}`);
  });
}

function importBreaches(file: string, text: string): string[] {
  const layer = layerOf(file);
  if (layer === 'boot') return [];
  const allowed = MAY_IMPORT[layer];
  if (!allowed) return [`${file} is in no layer of the table: ${layer}`];
  return importsOf(text)
    .filter(({ specifier, typeOnly }) => {
      if (!specifier.startsWith('.')) return !OWN_PROGRAMS.includes(file) && !mayUseLibrary(layer, specifier);
      const target = layerOf(normalize(join(dirname(file), specifier)));
      if (layer === 'web' && target === 'core') return !typeOnly && !specifier.endsWith(PAGE_MAY_RUN);
      return target !== layer && !allowed.includes(target);
    })
    .map(({ specifier }) => `${file} imports ${specifier}`);
}

function mayUseLibrary(layer: string, specifier: string): boolean {
  if (layer === 'core') return CORE_LIBRARIES.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  return !/^(node:)?child_process$/.test(specifier) || STARTS_PROCESSES.includes(layer);
}

function importsOf(text: string): { specifier: string; typeOnly: boolean }[] {
  const statements = text.matchAll(/^\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s*)?['"]([^'"\n]+)['"]/gm);
  const calls = text.matchAll(/\b(?:import|require)\(\s*()['"]([^'"\n]+)['"]/g);
  return [...statements, ...calls].map(([, type, specifier = '']) => ({ specifier, typeOnly: Boolean(type) }));
}

function purityBreaches(file: string, text: string): string[] {
  if (layerOf(file) !== 'core' || file === PORTS) return [];
  return [...codeOf(text).matchAll(CORE_NEVER_SAYS)].map(([word]) => `${file} says ${word}`);
}

/** The text without comments, strings and regular expressions; of a template only its `${…}` parts stay. */
function codeOf(text: string): string {
  const notCode =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(,=:[!&|?{};>]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g;
  return text.replace(notCode, (found) => (found.match(/^`/) ? (found.match(/\$\{[^}]*\}/g) ?? []).join(' ') : "''"));
}

function opensWithComment(text: string): boolean {
  const comment = /^(?:#![^\n]*\n)?((?:\/\/[^\n]*(?:\n|$))+|\/\*[\s\S]*?\*\/)/.exec(text)?.[1];
  return comment !== undefined && comment.trimEnd().split('\n').length <= MAX_OPENING_LINES;
}

function layerOf(file: string): string {
  const [top = '', second = ''] = file.split('/');
  return top === 'src' ? second.replace(/\.ts$/, '') : top;
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function walk(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !['node_modules', 'dist', 'transcripts'].includes(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? walk(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]));
}
