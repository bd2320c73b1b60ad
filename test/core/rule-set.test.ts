// What rules decide: a corpus written as an attacker would, properties of what an allow covers, and the order of sources.
// Covers: src/core/rule.ts, src/core/rule-index.ts, src/core/rule-pattern.ts, src/core/rule-explanation.ts
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rule, type RuleContext, type RuledCall, type RuleSource, Rules, sourced } from '../../src/core/rule.ts';
import { compileRules, type RuleSet } from '../../src/core/rule-index.ts';
import { decideByRules } from '../../src/core/rule-set.ts';
import { readShell } from '../../src/core/shell/read.ts';

const corpus = JSON.parse(readFileSync(join(import.meta.dirname, 'rule-corpus.json'), 'utf8')) as {
  rules: Record<'allow' | 'deny', Rule[]>;
  cases: [string, string, string][];
};
const setOf = (rules: unknown[], source: RuleSource = 'organisation') =>
  compileRules(sourced(source, 'rules', Rules.parse(rules)));
const shell = (action: string, ...command: string[]) => ({ tool: 'Bash', matches: { command }, action });
const call = (input: RuledCall['input'], tool = 'Bash', context: RuleContext = 'thread'): RuledCall => ({
  tool,
  input,
  context,
});
const decisionOf = (sets: RuleSet | RuleSet[], asked: RuledCall, grants?: RuleSet) =>
  decideByRules({ sets: [sets].flat(), grants }, asked);
const decide = (sets: RuleSet | RuleSet[], command: unknown, grants?: RuleSet) =>
  decisionOf(sets, call({ command }), grants).decision;

const allowing = setOf(corpus.rules.allow);
const denying = setOf(corpus.rules.deny);

describe('the corpus', () => {
  it('has at least 500 commands', () => expect(corpus.cases.length).toBeGreaterThan(500));

  it('is decided as an allow list should', () => {
    expect(corpus.cases.map(([, , command]) => [decide(allowing, command), command])).toEqual(
      corpus.cases.map(([expected, , command]) => [expected, command]),
    );
  });

  it('is decided as a deny list should', () => {
    expect(corpus.cases.map(([, , command]) => [decide(denying, command), command])).toEqual(
      corpus.cases.map(([, expected, command]) => [expected, command]),
    );
  });
});

it('asks about options of allowed programs that run other ones', () => {
  const lines = [
    'tar -xf a.tar --rmt-command=sh',
    'wget --use-askpass=sh http://a',
    'wget -e use_askpass=sh http://a',
    'npm --script-shell=sh test',
    'gcc -wrapper sh a.c',
    'cc -B./evil a.c',
    'clang -fplugin=./a.so a.c',
    'g++ @options',
    'rustc -C linker=./a a.rs',
    'cargo --config build.rustc="./a" build',
    'ip netns exec n sh',
    'tcpdump -G 1 -z sh -w x',
    'ssh-agent sh',
    'ssh-keygen -D ./a.so',
    'svn diff --diff-cmd=sh',
    'hg --config alias.x=!sh x',
    'apt-get -o APT::Update::Pre-Invoke::=sh update',
    'dpkg --pre-invoke=sh -i a.deb',
    'bat --pager=sh a',
    "sqlite3 a.db '.shell sh'",
    "vim -c ':!sh' a",
    'vi +:!sh a',
  ];
  const allowsAll = setOf([
    { tool: 'Bash', matches: { command: lines.map((line) => `${line.split(' ')[0]} *`) }, action: 'allow' },
  ]);
  expect(lines.filter((line) => decide(allowsAll, line) !== 'ask')).toEqual([]);
  const plain = [
    'tar -xf a.tar',
    'wget http://a',
    'npm test',
    'gcc -O2 a.c -o a',
    'cargo build',
    'ip addr',
    'sqlite3 a.db .5',
  ];
  expect(plain.map((line) => decide(allowsAll, line))).toEqual([...plain.slice(1).map(() => 'allow'), 'ask']);
});

describe('an allowed command', () => {
  const allowed = corpus.cases.filter(
    ([decision, , command]) => decision === 'allow' && !/[#\n!]|<<|\bf\(\)|\btime\b/.test(command),
  );
  const base = fc.constantFrom(...allowed.map(([, , command]) => command.trim().replace(/[;&]$/, '')));
  const bad = fc.constantFrom(
    'rm x',
    'touch x',
    '/usr/bin/git x',
    'sudo ls',
    'A=1 ls',
    'ls > x',
    'bash -c ls',
    '$X',
    'ls $X',
    'whoami',
  );
  const around = fc.constantFrom<(good: string, bad: string) => string>(
    (good, bad) => `${good}; ${bad}`,
    (good, bad) => `${good} && ${bad}`,
    (good, bad) => `${good} || ${bad}`,
    (good, bad) => `${good} | ${bad}`,
    (good, bad) => `${good} & ${bad}`,
    (good, bad) => `${good}\n${bad}`,
    (good, bad) => `${bad}; ${good}`,
    (good, bad) => `${bad} | ${good}`,
    (good, bad) => `echo $(${bad}); ${good}`,
    (good, bad) => `echo \`${bad.replaceAll('`', '')}\`; ${good}`,
    (good, bad) => `cat <(${bad}); ${good}`,
    (good, bad) => `cat <<E\n$(${bad})\nE\n${good}`,
    (good, bad) => `(${good}; ${bad})`,
    (good, bad) => `{ ${good}; ${bad}; }`,
    (good, bad) => `if ${good}; then ${bad}; fi`,
    (good, bad) => `git() { ${bad}; }; ${good}`,
    (good) => `(${good}) > out`,
    (good) => `{ ${good}; } >> out`,
    (good) => `sudo sh -c '${good.replaceAll("'", `'\\''`)}'`,
    (good) => `eval '${good.replaceAll("'", `'\\''`)}'`,
    (good) => `for x in a; do ${good}; done`,
    (good) => `PATH=/tmp; ${good}`,
    (good) => `coproc { ${good}; }`,
    (good) => `trap '${good.replaceAll("'", `'\\''`)}' EXIT`,
  );

  it('is not allowed any more with a command, redirection or wrapper added', () => {
    fc.assert(
      fc.property(base, bad, around, (good, evil, put) => decide(allowing, put(good, evil)) !== 'allow'),
      { numRuns: 800 },
    );
  });

  it('stays allowed with another allowed command added', () => {
    const joint = fc.constantFrom('; ', ' && ', ' | ', '\n');
    fc.assert(
      fc.property(base, base, joint, (a, b, j) => decide(allowing, a + j + b) === 'allow'),
      { numRuns: 200 },
    );
  });

  const noise = fc.string({
    unit: fc.constantFrom(...' ;|&<>(){}$`"\'\\\n#*?[]=~!-ax', 'rm ', 'git ', '$(', '<<'),
    maxLength: 12,
  });
  const NAMES = new Set(['git', 'ls', 'echo', 'cat', 'grep', 'npm', 'find']);

  it('stays allowed with any text added only where every part is allowed', () => {
    fc.assert(
      fc.property(noise, base, noise, (before, good, after) => {
        const line = before + good + after;
        if (decide(allowing, line) !== 'allow') return;
        const { commands, unknown } = readShell(line);
        expect(unknown).toBeUndefined();
        for (const command of commands) {
          expect(NAMES).toContain(command.words[0]?.text);
          if (!command.text.includes('<<')) expect(decide(allowing, command.text)).toBe('allow');
          expect(command).toMatchObject({ isWrapper: false, assigns: [] });
          expect(command.redirections.some(({ writes }) => writes)).toBe(false);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the first match', () => {
  it('decides each part, and the strictest part the call', () => {
    const set = setOf([
      shell('ask', 'git push *'),
      shell('allow', 'git *'),
      shell('reject', 'git *', 'rm *'),
      { tool: 'Bash', action: 'delegate', to: 'x' },
    ]);
    expect(decide(set, 'git log')).toBe('allow');
    expect(decide(set, 'git push')).toBe('ask');
    expect(decide(set, 'git log; whoami')).toBe('delegate');
    expect(decide(set, 'git push; rm x; whoami')).toBe('reject');
    expect(decide(set, 'git log; git push; whoami')).toBe('ask');
  });

  it('asks without any rule', () => {
    expect(decisionOf(setOf([]), call({ command: 'ls' }))).toMatchObject({
      decision: 'ask',
      explanation: 'no rule covers `ls`',
    });
    expect(decisionOf(setOf([]), call({}, 'Write'))).toMatchObject({ decision: 'ask' });
  });

  it('looks at the tool, the context and every argument', () => {
    const set = setOf([
      { tool: 'mcp__*', action: 'reject', context: 'subagent' },
      { tool: 'mcp__*', action: 'allow' },
      { tool: 'Write', matches: { file_path: ['src/*', 'test/*'], overwrite: false }, action: 'allow' },
    ]);
    const decided = (input: RuledCall['input'], tool: string, context?: RuleContext) =>
      decisionOf(set, call(input, tool, context)).decision;
    expect(decided({}, 'mcp__a__b')).toBe('allow');
    expect(decided({}, 'mcp__a__b', 'subagent')).toBe('reject');
    expect(decided({}, 'Mcp__a')).toBe('ask');
    expect(decided({ file_path: 'src/a.ts', overwrite: false }, 'Write')).toBe('allow');
    expect(decided({ file_path: 'src/a.ts', overwrite: true }, 'Write')).toBe('ask');
    expect(decided({ file_path: 'src/a.ts' }, 'Write')).toBe('ask');
    expect(decided({ file_path: 7, overwrite: false }, 'Write')).toBe('ask');
  });

  it('follows no path out of a pattern, and finds a rejected one behind dots', () => {
    const set = setOf([
      { tool: 'Write', matches: { file_path: ['/etc/*', '.env'] }, action: 'reject' },
      { tool: 'Write', matches: { file_path: 'src/*' }, action: 'allow' },
    ]);
    const decided = (file_path: string) =>
      decisionOf(set, { ...call({ file_path }, 'Write'), workFolder: '/srv/shop' }).decision;
    expect(decided('src/a.ts')).toBe('allow');
    expect(decided('src/../package.json')).toBe('ask');
    expect(decided('src/../../../etc/passwd')).toBe('reject');
    expect(decided('/etc/../etc/passwd')).toBe('reject');
    expect(decided('./.env')).toBe('reject');
    expect(decided('/srv/shop/src/../.env')).toBe('reject');
    expect(decided('src//a.ts')).toBe('ask');
  });

  it('looks at every file that a call changes: an allow must cover each, old and new', () => {
    const patch =
      (name: string) =>
      (paths: (string | { path: string; moved_to: string })[], more: object = {}) => {
        const files = paths.map((path) => ({ change: 'update', ...(typeof path === 'string' ? { path } : path) }));
        const rules = setOf([
          { tool: 'Edit', matches: { [name]: '*/.env' }, action: 'reject' },
          { tool: 'Edit', matches: { [name]: ['/srv/docs/*', '/srv/more/*'] }, action: 'allow' },
        ]);
        return decisionOf(rules, call({ ...more, files }, 'Edit')).decision;
      };
    for (const decide of [patch('file_path'), patch('path')]) {
      expect(decide(['/srv/docs/a', '/srv/more/b'])).toBe('allow');
      expect(decide(['/srv/docs/a', '/srv/src/b'])).toBe('ask');
      expect(decide(['/srv/docs/a', '/srv/docs/../src/b'])).toBe('ask');
      expect(decide(['/srv/docs/a', '/srv/src/.env'])).toBe('reject');
      expect(decide([{ path: '/srv/docs/a', moved_to: '/srv/docs/b' }])).toBe('allow');
      expect(decide([{ path: '/srv/docs/a', moved_to: '/srv/src/b' }])).toBe('ask');
      expect(decide([{ path: '/srv/docs/a', moved_to: '/srv/.env' }])).toBe('reject');
      expect(decide(['/srv/src/b'], { file_path: '/srv/docs/a', path: '/srv/docs/a' })).toBe('ask');
      expect(decide([])).toBe('ask');
    }
  });

  it('takes `cmd` and `command` for the same, both if both are given, and lists of words', () => {
    const set = setOf([{ tool: 'Bash', matches: { cmd: 'git *' }, action: 'allow' }]);
    const decided = (input: RuledCall['input']) => decisionOf(set, call(input)).decision;
    expect(decided({ cmd: 'git log' })).toBe('allow');
    expect(decided({ command: 'git log' })).toBe('allow');
    expect(decided({ command: 'git log', cmd: 'rm x' })).toBe('ask');
    expect(decided({ command: ['git', 'log', '; rm x'] })).toBe('allow');
    expect(decided({ command: ['rm', 'x'] })).toBe('ask');
    expect(decided({ command: ['bash', '-lc', 'git log'] })).toBe('ask');
    expect(decided({ command: { git: 'log' } })).toBe('ask');
    expect(decided({ command: null })).toBe('ask');
  });

  it('covers a text without stars exactly, with its redirections and wrappers', () => {
    const set = setOf([
      shell('allow', 'npm test > log.txt', 'sudo systemctl restart shop', 'bash deploy.sh', 'FOO=1 make \\*'),
    ]);
    for (const line of [
      'npm test > log.txt',
      'sudo systemctl restart shop',
      'bash deploy.sh',
      'FOO=1 make *',
      'npm test > log.txt; sudo systemctl restart shop',
    ])
      expect([decide(set, line), line]).toEqual(['allow', line]);
    for (const line of [
      'npm test > log.txt2',
      'npm test',
      'sudo systemctl restart shop2',
      'ls | bash deploy.sh',
      'FOO=1 make x',
      'bash deploy.sh <<E\nx\nE',
    ])
      expect([decide(set, line), line]).toEqual(['ask', line]);
  });

  it('compares words, not blanks', () => {
    const set = setOf([shell('allow', 'git commit -m *', 'npm run *')]);
    expect(decide(set, 'git   commit\t-m "a b"')).toBe('allow');
    expect(decide(set, 'git "commit -m" x')).toBe('ask');
    expect(decide(set, 'npm "run build"')).toBe('ask');
  });
});

describe('sources', () => {
  const of = (...lists: [RuleSource, unknown[]][]) =>
    lists.map(([source, rules]) => compileRules(sourced(source, `the ${source}`, Rules.parse(rules))));

  it('lets a project file reject and ask, but never allow or delegate', () => {
    const project = [shell('allow', 'rm *'), { tool: 'Bash', action: 'delegate', to: './x' }];
    expect(decide(of(['project', project]), 'rm x')).toBe('ask');
    expect(decide(of(['project', project], ['organisation', [shell('reject', 'rm *')]]), 'rm x')).toBe('reject');
    expect(decide(of(['project', project], ['organisation', [shell('allow', 'rm *')]]), 'rm x')).toBe('allow');
    expect(decide(of(['project', [shell('reject', 'ls *')]], ['organisation', [shell('allow', 'ls *')]]), 'ls')).toBe(
      'reject',
    );
    expect(
      decide(
        of(
          ['project', [shell('allow', 'git log *'), shell('reject', 'git *')]],
          ['organisation', [shell('allow', 'git *')]],
        ),
        'git log',
      ),
    ).toBe('allow');
  });

  it('never lets what a project file asks about pass a later rejection', () => {
    const project = ['project', [shell('ask', 'rm *', 'ls *')]] satisfies [RuleSource, unknown[]];
    const sets = of(project, ['organisation', [shell('reject', 'rm *')]], ['session', [shell('allow', 'ls *')]]);
    expect(decide(sets, 'rm x')).toBe('reject');
    expect(decide(sets, 'ls')).toBe('ask');
    expect(decide(sets, 'ls; rm x')).toBe('reject');
  });

  it('lets a grant answer what would be asked, and nothing that is rejected', () => {
    const rules = of(['organisation', [shell('reject', 'rm *'), shell('ask', 'git push *'), shell('allow', 'ls *')]]);
    const grants = setOf([shell('allow', 'git push *', 'rm *', 'make *')], 'grant');
    expect(decide(rules, 'git push', grants)).toBe('allow');
    expect(decide(rules, 'ls; make; git push', grants)).toBe('allow');
    expect(decide(rules, 'rm x', grants)).toBe('reject');
    expect(decide(rules, 'make; whoami', grants)).toBe('ask');
    expect(decide(rules, 'sudo make', grants)).toBe('ask');
  });

  it('lets no grant cover what cannot be parsed or told, not even its exact text', () => {
    for (const line of ['make "', 'eval $X', 'sh -c "$X"'])
      expect([decide([], line, setOf([shell('allow', line.replaceAll('\\', '\\\\'))], 'grant')), line]).toEqual([
        'ask',
        line,
      ]);
  });

  it('names the rule, its source and the part in the explanation', () => {
    const decision = decisionOf(denying, call({ command: 'git log; sudo rm -rf x' }));
    expect(decision.explanation).toBe(
      'rule 1 of rules (Bash {"command":["rm *","curl *"]} → reject) rejects `rm -rf x` (part 3 of 3)',
    );
    expect(decision.decidedBy).toMatchObject({ source: 'organisation', position: 1 });
    expect(decision.parts[2]).toMatchObject({ pos: 14, end: 22, decision: 'reject' });
  });
});

describe('a rule', () => {
  it.each([
    { tool: 'Bash', action: 'delegate' },
    { tool: 'Bash', action: 'allow', to: 'x' },
    { tool: 'Bash', action: 'allow', message: 'x' },
    { tool: 'Bash', action: 'permit' },
    { tool: '', action: 'allow' },
    { tool: 'Bash', action: 'allow', matches: { command: '/^git/' } },
    { tool: 'Bash', action: 'allow', matches: { command: [] } },
    { tool: 'Bash', action: 'allow', context: 'all' },
    { tool: 'Bash', action: 'allow', extra: 1 },
    { tool: 'a', action: 'delegate', to: 'https://me:secret@policy.example/decide' },
  ])('is refused: %j', (rule) => expect(Rule.safeParse(rule).success).toBe(false));
});
