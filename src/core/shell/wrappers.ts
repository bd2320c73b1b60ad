// Lists the programs whose arguments are a command that they run (`sudo`, `env`, `xargs`, `timeout`…), with the options
// that come before it, and finds that command. An option that is not listed makes the command unknown.
import type { InnerCommand } from './inner-commands.ts';
import { type ShellWord, unknownWord } from './word.ts';

export interface Wrapper {
  /** Letters of options without a value, and with one. */
  flags?: string;
  values?: string;
  /** Letters of options whose value, if any, stands in the same word. */
  optional?: string;
  /** Long options without a value, and with one. */
  long?: readonly string[];
  longValues?: readonly string[];
  /** Operands before the command, such as the time of `timeout`. */
  operands?: number;
  /** Takes `NAME=value` before the command. */
  assigns?: true;
  /** Adds arguments that it reads from its input. */
  appends?: true;
  /** Options with which it runs no command at all. */
  asks?: RegExp;
}

const HELP = /^--(?:help|version)$/;

const TABLE: Record<string, Wrapper> = {
  env: {
    flags: 'i0v',
    values: 'uC',
    long: ['ignore-environment', 'null'],
    longValues: ['unset', 'chdir'],
    assigns: true,
    asks: HELP,
  },
  sudo: {
    flags: 'AbEHknPSB',
    values: 'ughpCTrtUDR',
    long: ['preserve-env', 'non-interactive', 'set-home'],
    longValues: ['user', 'group', 'host', 'prompt', 'chdir'],
    assigns: true,
    asks: /^(?:-[lvV]|--(?:list|validate|version|help))$/,
  },
  doas: { flags: 'nL', values: 'uC' },
  nohup: { asks: HELP },
  setsid: { flags: 'cfw', long: ['ctty', 'fork', 'wait'], asks: HELP },
  nice: { flags: '0123456789', values: 'n', longValues: ['adjustment'], asks: HELP },
  ionice: { flags: 't', values: 'cn', longValues: ['class', 'classdata'], asks: /^(?:-p|--pid|--help|--version)/ },
  chrt: { flags: 'bfiorRam', values: 'TPD', operands: 1, asks: HELP },
  taskset: { flags: 'ac', operands: 1, asks: HELP },
  timeout: {
    flags: 'v',
    values: 'ks',
    long: ['foreground', 'preserve-status', 'verbose'],
    longValues: ['kill-after', 'signal'],
    operands: 1,
    asks: HELP,
  },
  stdbuf: { values: 'ioe', longValues: ['input', 'output', 'error'], asks: HELP },
  time: {
    flags: 'pvaqV',
    values: 'fo',
    long: ['portability', 'verbose', 'append', 'quiet'],
    longValues: ['format', 'output'],
    asks: HELP,
  },
  command: { flags: 'p', asks: /^-[pvV]*[vV]/ },
  builtin: {},
  exec: { flags: 'cl', values: 'a' },
  noglob: {},
  nocorrect: {},
  '-': {},
  repeat: { operands: 1 },
  chroot: { longValues: ['userspec', 'groups'], operands: 1, asks: HELP },
  busybox: { asks: /^--(?:help|list|list-full|install)$/ },
  toybox: { asks: HELP },
  caffeinate: { flags: 'disum', values: 'tw' },
  flock: {
    flags: 'sxenuoFv',
    values: 'wE',
    long: ['shared', 'exclusive', 'nonblock', 'close'],
    longValues: ['wait', 'timeout'],
    operands: 1,
    asks: HELP,
  },
  xargs: {
    flags: '0rtpxo',
    values: 'InPLdEas',
    optional: 'iel',
    long: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'exit', 'open-tty', 'replace', 'max-lines', 'eof'],
    longValues: ['max-args', 'max-procs', 'delimiter', 'arg-file', 'max-chars'],
    appends: true,
    asks: HELP,
  },
};

export const WRAPPERS = new Map(Object.entries(TABLE));

const unknown = (why: string): InnerCommand[] => [{ kind: 'unknown', why }];

export function commandAfterOptions(name: string, wrapper: Wrapper, words: readonly ShellWord[]): InnerCommand[] {
  const assigns: string[] = [];
  let operands = wrapper.operands ?? 0;
  let areOptions = true;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? unknownWord(0);
    if (word.kind !== 'literal') return unknown(`what ${name} runs is not literal`);
    const { text } = word;
    if (areOptions && wrapper.asks?.test(text)) return [];
    if (areOptions && text === '--') areOptions = false;
    else if (areOptions && /^-./.test(text)) {
      const used = optionLength(wrapper, text);
      if (used === 0) return unknown(`the option ${text} of ${name} is not followed`);
      at += used - 1;
    } else if (wrapper.assigns && /^[^=-][^=]*=/.test(text)) assigns.push(text.slice(0, text.indexOf('=')));
    else if (operands > 0) operands -= 1;
    else return [{ kind: 'words', words: completed(wrapper, words.slice(at)), assigns }];
  }
  return assigns.length > 0 ? unknown(`${name} assigns variables`) : [];
}

/** How many words the option takes: itself, and the value after it. 0: it is not known. */
function optionLength(
  { flags = '', values = '', optional = '', long = [], longValues = [] }: Wrapper,
  text: string,
): number {
  if (text.startsWith('--')) {
    const name = text.slice(2).split('=', 1)[0] ?? '';
    if (longValues.includes(name)) return text.includes('=') ? 1 : 2;
    return long.includes(name) ? 1 : 0;
  }
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? '';
    if (values.includes(letter)) return at === text.length - 1 ? 2 : 1;
    if (optional.includes(letter)) return 1;
    if (!flags.includes(letter)) return 0;
  }
  return 1;
}

function completed({ appends }: Wrapper, words: readonly ShellWord[]): readonly ShellWord[] {
  return appends ? [...words, unknownWord(words.at(-1)?.end ?? 0)] : words;
}
