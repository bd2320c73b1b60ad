// Runs the commands and programs on every page of the documentation, as a reader would type them, against a real server.
// Those that need a real agent are run by test/agents/real/documentation.test.ts; markdown-snippets.ts has the marks.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../src/client/holdpoint.ts';
import { sendReply } from '../src/testing/reply.ts';
import { closeTestBeds, node, openTestBed, PATIENT, TARGET, type TestBed } from './cli/test-bed.ts';
import { commandsOf, programWords, type Snippet, snippetsOf, unreadBlocksOf } from './support/markdown-snippets.ts';
import { root, temporaryFolder } from './support/process.ts';
import { hasPty, openPty } from './support/pty.ts';

const PAGES = [
  'README.md',
  'packages/client/README.md',
  'deploy/README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const snippets = PAGES.flatMap((page) => snippetsOf(join(root, page), page));
const elsewhere = ['not run', 'unmarked', 'with an agent', 'run by', ...(hasPty ? [] : ['at a terminal'])];
const running = snippets.filter(({ how }) => !elsewhere.includes(how));

let bed: TestBed;
let env: NodeJS.ProcessEnv;
let folder: string;
beforeAll(async () => {
  bed = await openTestBed();
  folder = temporaryFolder();
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  mkdirSync(join(modules, '@holdpoint'));
  symlinkSync(root, join(modules, 'holdpoint'));
  symlinkSync(join(root, 'packages', 'client'), join(modules, '@holdpoint', 'client'));
  symlinkSync(join(root, 'node_modules', '@opencode-ai'), join(modules, '@opencode-ai'));
  symlinkSync(join(root, 'bin', 'holdpoint'), join(modules, '.bin', 'holdpoint'));
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(join(folder, 'Makefile'), 'release:\n\t@echo released\n');
  const HOME = temporaryFolder();
  const PATH = [join(modules, '.bin'), dirname(node), process.env.PATH].join(delimiter);
  const agents = { CLAUDE_CONFIG_DIR: join(HOME, '.claude'), CODEX_HOME: join(HOME, '.codex') };
  env = bed.env({ HOME, PATH, HOLDPOINT_DATA: bed.server.data, TOKEN: bed.server.token, ...agents });
}, PATIENT.timeout);
afterAll(closeTestBeds);

/** What a person would type, or pipe, into it. */
const inputOf = (script = ''): string => {
  if (script.includes('--answers-file -')) return '[{"question_id":"target","selected_option_ids":["staging"]}]';
  return script.includes('--interactive') ? '1\n\n' : '';
};

const run = (program: string, args: string[]) =>
  new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => {}).end(inputOf(args.at(-1)));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });

/** At a terminal, where somebody says yes to the one question that is asked. */
async function confirm(program: string, args: string[]) {
  const terminal = openPty({ command: [program, ...args], cwd: folder, env, rows: 60 });
  await terminal.shows('Yes / ');
  terminal.type('y');
  return { code: await terminal.exited, output: terminal.raw() };
}

describe('the documentation', PATIENT, () => {
  it('marks every block of commands and code as run, or says why it is not', () => {
    expect(running.length).toBeGreaterThan(20);
    const places = (some: Snippet[]) => some.map(({ page, line }) => `${page}:${line}`);
    const unmarked = snippets.filter(({ how }) => how === 'unmarked');
    expect(places(unmarked), 'put one of the marks of test/support/markdown-snippets.ts above each').toEqual([]);
    const gone = snippets.filter(
      ({ how, what = '' }) => how === 'run by' && what.split(', ').some((test) => !existsSync(join(root, test))),
    );
    expect(places(gone), 'name a test that exists').toEqual([]);
  });

  it('has no command or program outside of such blocks', () => {
    const others = ['SPEC', 'SECURITY', 'ARCHITECTURE', 'CONTEXT', 'CONTRIBUTING', 'CHANGELOG'].map(
      (name) => `${name}.md`,
    );
    expect([...PAGES, ...others].flatMap((page) => unreadBlocksOf(join(root, page), page))).toEqual([]);
    const page = join(folder, 'page.md');
    writeFileSync(page, '```bash\nrm\n```\n\n   ```sh\nrm\n   ```\n\n~~~sh\nrm\n~~~\n\n```\nnpx holdpoint rm\n```\n');
    expect(unreadBlocksOf(page, 'page')).toEqual(['page:1', 'page:5', 'page:9', 'page:14']);
  });

  it('names for a block that is run elsewhere a test that runs its programs and subcommands', () => {
    const missing = snippets
      .filter(({ how, language }) => how === 'run by' && language === 'sh')
      .flatMap(({ page, line, code, what = '' }) => {
        const test = what
          .split(', ')
          .map((file) => readFileSync(join(root, file), 'utf8'))
          .join();
        const reads = test.includes('snippetsOf(');
        const lacks = (word: string) => !new RegExp(`\\b${word}\\b`).test(test);
        return commandsOf(code)
          .filter((command) => !reads && programWords(command).some((word) => word !== 'holdpoint' && lacks(word)))
          .map((command) => `${page}:${line}: ${command}`);
      });
    expect(missing).toEqual([]);
    expect(programWords('TOKEN=x npx holdpoint audit verify --witness file')).toEqual(['holdpoint', 'audit', 'verify']);
  });

  it.each(running.map((snippet) => [`${snippet.page}:${snippet.line}`, snippet] as const))(
    'runs %s',
    async (_, snippet) => {
      if (snippet.language === 'json') return void JSON.parse(snippet.code);
      await nightly();
      const person = snippet.how === 'with a person' ? attend() : undefined;
      try {
        for (const [program, args] of programsOf(snippet)) {
          if (snippet.how === 'each line') await nightly();
          const { code, output } = await (snippet.how === 'at a terminal' ? confirm : run)(program, args);
          expect(code, `${args.at(-1)}\n${output}`).toBe(0);
        }
      } finally {
        person?.abort();
      }
    },
  );
});

function programsOf({ language, code, how, line }: Snippet): [string, string[]][] {
  if (language === 'sh')
    return (how === 'each line' || how === 'at a terminal' ? commandsOf(code) : [code]).map((script) => [
      'bash',
      ['-euo', 'pipefail', '-c', script],
    ]);
  const file = join(folder, `snippet-${line}.${language === 'ts' ? 'ts' : 'mjs'}`);
  writeFileSync(file, code);
  return [[node, [file]]];
}

/** What the pages speak of: the session `nightly` with a question (781b0c) and an approval (d1d077). */
async function nightly(): Promise<void> {
  const { client } = bed;
  const session = await client.sessions.create({ agent: 'external', session_id: 'nightly', title: 'Nightly build' });
  if (session.active_run_id) await client.runs.cancel(session.active_run_id);
  const { run_id } = await client.runs.start('nightly', { input: { text: 'deploy' } });
  await client.asks.raise(run_id, { kind: 'question', tool_call_id: 'deploy', questions: [TARGET] });
  const input = { command: 'rm -rf build' };
  await client.asks.raise(run_id, { kind: 'approval', tool_call_id: 'clean', tool_name: 'Bash', input });
}

/** A person who chooses the first option and allows everything, except in `nightly`. */
function attend(): AbortController {
  const stop = new AbortController();
  const { api } = connect({ url: bed.server.url, token: bed.server.token });
  void (async () => {
    const answered = new Set<string>();
    while (!stop.signal.aborted) {
      const { items } = await api.asks.list({ status: 'pending', limit: 500 });
      for (const ask of items.filter((one) => one.session_id !== 'nightly' && !answered.has(one.ask_id))) {
        answered.add(ask.ask_id);
        if (ask.kind === 'approval') await sendReply(api, ask, { allow: true });
        else {
          const said = ask.request.questions.map(({ id, options }) => [
            id,
            options[0]?.label ?? 'the fix of the login',
          ]);
          await sendReply(api, ask, { answer: Object.fromEntries(said) });
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })().catch(() => {});
  return stop;
}
