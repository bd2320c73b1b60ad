// Lists options and subcommands by which an ordinary program runs another one: `git -c`, `tar --to-command`, `sort
// --compress-program`. Which program that is, is not followed. Long options may be abbreviated.
import type { InnerCommand } from './inner-commands.ts';
import type { ShellWord } from './word.ts';

type Check = (words: readonly ShellWord[]) => InnerCommand[];

const runs = (what: string): InnerCommand[] => [{ kind: 'unknown', why: `it may run another program: ${what}` }];

export const programOptions = (name: string): Check | undefined => CHECKS.get(name);

/** Options by which a program runs another one. A word that may become an option counts as one. */
function options(pattern: RegExp): Check {
  return (words) => {
    const found = words.find(({ kind, text }) => kind === 'open' || pattern.test(text));
    return found ? runs(found.text.slice(0, 40)) : [];
  };
}

/** Any beginning of one of these long options, with or without a value: programs take one that is not ambiguous. */
const long = (...names: string[]): string => {
  const beginnings = names.flatMap((name) => [...name].map((_, i) => name.slice(0, i + 1)));
  return `--(?:${[...new Set(beginnings)].sort((a, b) => b.length - a.length).join('|')})(?:=|$)`;
};

/** Before the subcommand. A repository in another place, which may be a folder of this one, has settings that run programs. */
const GIT_GLOBAL = /^(?:-c|-C|--config-env|--exec-path=|--git-dir)/;
const GIT_VALUES = /^(?:--work-tree|--namespace|--super-prefix|--attr-source)$/;
const GIT_LONG =
  'upload-pack receive-pack exec extcmd ext-diff open-files-in-pager config template tool tree-filter msg-filter index-filter env-filter commit-filter parent-filter sendmail-cmd to-cmd cc-cmd header-cmd smtp-server access-hook';
const GIT_ANYWHERE = new RegExp(`^(?:${long(...GIT_LONG.split(' '))}|-[a-zA-Z]*O)|::`);
const GIT_SUBCOMMANDS: Record<string, RegExp> = {
  rebase: /^-[a-zA-Z]*x/,
  clone: /^-[a-zA-Z]*[uc]/,
  'ls-remote': /^-[a-zA-Z]*u/,
  bisect: /^run$/,
  submodule: /^foreach$/,
  help: /^-[a-zA-Z]*w/,
};

const GIT_TOOLS = new Set('mergetool difftool filter-branch for-each-repo remote-ext instaweb web--browse'.split(' '));

const git: Check = (words) => {
  let at = 0;
  for (; words[at]?.text.startsWith('-'); at++) {
    const { text } = words[at] as ShellWord;
    if (GIT_GLOBAL.test(text)) return runs(text.slice(0, 40));
    if (GIT_VALUES.test(text)) at += 1;
  }
  const [subcommand, ...rest] = words.slice(at);
  if (!subcommand) return [];
  if (subcommand.kind !== 'literal') return runs('a subcommand that is not literal');
  if (GIT_TOOLS.has(subcommand.text)) return runs(subcommand.text);
  const own = GIT_SUBCOMMANDS[subcommand.text];
  const suspect = rest.find(
    ({ kind, text }, i) =>
      (kind === 'open' && !/^(?:-[a-z]*m|--message)$/.test(rest[i - 1]?.text ?? '')) ||
      GIT_ANYWHERE.test(text) ||
      own?.test(text),
  );
  if (suspect) return runs(`${subcommand.text} ${suspect.text.slice(0, 40)}`);
  return subcommand.text === 'config' && setsConfig(rest) ? runs('a setting') : [];
};

const setsConfig = (words: readonly ShellWord[]): boolean => {
  const names = words.filter(({ text }) => !text.startsWith('-'));
  const isRead =
    /^(?:get|list)$/.test(names[0]?.text ?? '') || /^(?:-l|--list|--get(?:-all|-regexp)?)$/.test(words[0]?.text ?? '');
  return !isRead && names.length > 1;
};

/** The one form of a script that certainly neither runs nor writes: `s/a/b/g`, `1,5p`, `$d`. */
const HARMLESS_SED = /^[\d,$]*(?:[pdqn=]|s\/[^/\\]*\/[^/\\]*\/[gpiI\d]*)$/;

const sed: Check = (words) => {
  const scripts = words.filter(
    ({ text }, i) =>
      /^(?:-[a-zA-Z]*e|--e[a-z]*)$/.test(words[i - 1]?.text ?? '') || /^(?:-[a-zA-Z]*e.|--e.*=)/.test(text),
  );
  const first = words.find(({ text }) => !text.startsWith('-'));
  const read = scripts.length > 0 ? scripts : first ? [first] : [];
  const isFile = words.some(({ text, kind }) => kind === 'open' || /^(?:-[a-zA-Z]*f|--f)/.test(text));
  return isFile || read.some(({ text }) => !HARMLESS_SED.test(text)) ? runs('its script') : [];
};

const awk: Check = (words) =>
  words.some(
    ({ kind, text }) => kind === 'open' || /^(?:-[a-zA-Z]*[fEil]|--(?:f|e|i|l))|system|[|>@]|getline/.test(text),
  )
    ? runs('its script')
    : [];

const tar: Check = (words) =>
  /[IF]/.test(words[0]?.text ?? '')
    ? runs('-I or -F')
    : options(/^(?:-[a-zA-Z]*[IF]|--(?:to-|checkpoint-|use|rs|rmt|inf|new-v))/)(words);

/** They name the programs that they start, load plug-ins, or read further options from a file. */
const COMPILER =
  /^(?:-wrapper|-B|-fplugin|-fpass-plugin|-specs|--specs|-no-canonical-prefixes|-Xclang|-load|-fuse-ld|@)/;

const CHECKS = new Map<string, Check>([
  ['git', git],
  ['sed', sed],
  ['gsed', sed],
  ['awk', awk],
  ['gawk', awk],
  ['mawk', awk],
  ['nawk', awk],
  ['tar', tar],
  ['bsdtar', tar],
  ['rsync', options(/^(?:-[a-zA-Z]*e|--rs)/)],
  ['scp', options(/^-[a-zA-Z0-9]*[SoF]/)],
  ['sftp', options(/^-[a-zA-Z0-9]*[SoFDb]/)],
  ['sort', options(/^--co/)],
  ['split', options(/^--f/)],
  ['man', options(/^(?:-[a-zA-Z]*[PH]|--(?:pag|html|bro))/)],
  ['zip', options(/^(?:-[a-zA-Z]*T|--unzip)/)],
  ['go', options(/^--?(?:exec|toolexec|vettool|overlay|modfile)/)],
  ['make', options(/^(?:SHELL|MAKEFLAGS|\.SHELLFLAGS)[:+?!]*=|^--ev|^-[a-zA-Z]*E/)],
  ['rg', options(/^--(?:pre|hostname-bin)/)],
  ['fd', options(/^(?:-[a-zA-Z]*[xX]|--exec)/)],
  ['wget', options(/^(?:-[a-zA-Z]*e|--(?:exe|use|conf))/)],
  ['npm', options(/^--(?:script-shell|shell|node-options|userconfig|globalconfig|prefix)/)],
  ...'gcc g++ cc c++ clang clang++'.split(' ').map((name) => [name, options(COMPILER)] as const),
  ['rustc', options(/^(?:-C|--codegen|-Z)/)],
  ['cargo', options(/^(?:--config|-Z|-C)/)],
  ['ip', options(/^(?:exec|-[a-z]*b|vrf|netns)/)],
  ['tcpdump', options(/^-[a-zA-Z]*z/)],
  ['ssh-agent', options(/^[^-]/)],
  ['ssh-keygen', options(/^-[a-zA-Z]*[Dw]/)],
  ['ssh-add', options(/^-[a-zA-Z]*s/)],
  ['svn', options(/^--(?:diff|editor|merge|config)/)],
  ['hg', options(/^--(?:conf|cwd|rep|ssh|remotecmd|tool|debugger)|^-[a-zA-Z]*R/)],
  ...'apt apt-get apt-cache'.split(' ').map((name) => [name, options(/^(?:-[a-zA-Z]*[oc]|--(?:opt|conf))/)] as const),
  ['dpkg', options(/^--(?:pre-invoke|post-invoke|status-logger)/)],
  ...'ag ack bat delta'.split(' ').map((name) => [name, options(/^--pager/)] as const),
  ['sqlite3', options(/^(?:\s*\.|--?(?:cmd|init))/)],
  ...'vi vim nvim view ex'
    .split(' ')
    .map((name) => [name, options(/^(?:\+|-[a-zA-Z]*[cSsu]|--(?:cmd|remote))/)] as const),
]);
