// `holdpoint completion`: generates a completion script for bash, zsh or fish from the command tree. Where an id is wanted, the
// script asks `holdpoint complete` for those there are.
import { Argument, type Command as BaseCommand } from 'commander';
import { shellQuote } from '../../node/shell-quote.ts';
import { Command } from '../command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

export function completionCommand(): Command {
  return new Command('completion', 'print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .withExamples('holdpoint completion bash', 'holdpoint completion zsh', 'holdpoint completion fish')
    .action((shell: Shell, _flags: object, self: BaseCommand) => {
      process.stdout.write(WRITERS[shell](contextsOf(self.parent ?? self)));
    });
}

interface Word {
  word: string;
  about: string;
}
/** What may follow the words of a command path. */
interface Context {
  path: string;
  commands: Word[];
  options: (Word & { takesValue: boolean; values: readonly string[] })[];
  values: readonly string[];
  /** What kind of id its argument is. */
  ids: string | undefined;
}

const ID_ARGUMENTS: Record<string, string> = {
  session_id: 'sessions',
  run_id: 'runs',
  token: 'tokens',
  grant: 'grants',
};
const ID_OPTIONS: Record<string, string> = { '--session-id': 'sessions', '--run-id': 'runs' };
const offer = (ids: string): string => `$(holdpoint complete ${ids} 2>/dev/null)`;

function idsOf(command: BaseCommand): string | undefined {
  const name = command.registeredArguments[0]?.name() ?? '';
  // Questions and approvals call theirs the same.
  return name === 'request_id' ? command.parent?.name() : ID_ARGUMENTS[name];
}

function contextsOf(command: BaseCommand, path = ''): Context[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((c) => c.name() !== 'help');
  const here: Context = {
    path,
    commands: commands.map((c) => ({ word: c.name(), about: c.description() })),
    options: help.visibleOptions(command).flatMap((option) =>
      option.long
        ? [
            {
              word: option.long,
              about: option.description,
              takesValue: option.required || option.optional,
              values: option.argChoices ?? [],
            },
          ]
        : [],
    ),
    values: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    ids: idsOf(command),
  };
  return [here, ...commands.flatMap((c) => contextsOf(c, `${path} ${c.name()}`.trim()))];
}

const wordsOf = (context: Context): string =>
  [...context.commands, ...context.options]
    .map((w) => w.word)
    .concat(context.values)
    .join(' ');

/** The ids are fetched only where no option is being typed. */
function completed(context: Context): string {
  const words = `COMPREPLY=($(compgen -W ${shellQuote(wordsOf(context))} -- "$cur"))`;
  if (context.ids === undefined) return words;
  return `${words}; [[ "$cur" == -* ]] || COMPREPLY+=($(compgen -W "${offer(context.ids)}" -- "$cur"))`;
}

/** The words so far, without options and their values, are the command path. */
function bash(contexts: readonly Context[]): string {
  const valued = contexts.flatMap((p) => p.options.filter((o) => o.takesValue).map((o) => o.word));
  const chosen = new Map(
    contexts.flatMap((p) => p.options.filter((o) => o.values.length > 0).map((o) => [o.word, o.values])),
  );
  return `# Completion of holdpoint for bash: source <(holdpoint completion bash)
_holdpoint() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" cmd_path="" word i
  case "$prev" in
${[...chosen].map(([word, values]) => `    ${word}) COMPREPLY=($(compgen -W ${shellQuote(values.join(' '))} -- "$cur")); return ;;`).join('\n')}
${Object.entries(ID_OPTIONS)
  .map(([word, ids]) => `    ${word}) COMPREPLY=($(compgen -W "${offer(ids)}" -- "$cur")); return ;;`)
  .join('\n')}
    --*-file|--data|--work-folder|--tls-*) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    ${[...new Set(valued)].join('|')}) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      ${[...new Set(valued)].join('|')}) i=$((i + 1)) ;;
      -*) ;;
      *) case " ${contexts.map((p) => p.path.replaceAll(' ', '/')).join(' ')} " in *" \${cmd_path:+$cmd_path/}$word "*) cmd_path="\${cmd_path:+$cmd_path/}$word" ;; esac ;;
    esac
  done
  case "$cmd_path" in
${contexts.map((p) => `    ${shellQuote(p.path.replaceAll(' ', '/'))}) ${completed(p)} ;;`).join('\n')}
  esac
}
complete -F _holdpoint holdpoint
`;
}

function zsh(contexts: readonly Context[]): string {
  const described = (words: readonly Word[]) =>
    words.map((w) => shellQuote(`${w.word.replaceAll(':', '\\:')}:${w.about}`)).join(' ');
  const valued = [...new Set(contexts.flatMap((p) => p.options.filter((o) => o.takesValue).map((o) => o.word)))];
  return `#compdef holdpoint
# Completion of holdpoint for zsh: holdpoint completion zsh > "\${fpath[1]}/_holdpoint"
_holdpoint() {
  local cmd_path="" word skip=0
  local -a known=(${contexts.map((p) => shellQuote(p.path.replaceAll(' ', '/'))).join(' ')})
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    if (( skip )); then skip=0; continue; fi
    case "$word" in
      ${valued.join('|')}) skip=1 ;;
      -*) ;;
      *) (( \${known[(Ie)\${cmd_path:+$cmd_path/}$word]} )) && cmd_path="\${cmd_path:+$cmd_path/}$word" ;;
    esac
  done
  case "$cmd_path" in
${contexts
  .map(
    (p) => `    ${shellQuote(p.path.replaceAll(' ', '/'))})
      local -a here=(${described([...p.commands, ...p.values.map((word) => ({ word, about: '' }))])})
      local -a flags=(${described(p.options)})
      ${p.ids === undefined ? '' : `[[ "$PREFIX" == -* ]] || compadd -- \${(f)"${offer(p.ids)}"}\n      `}if [[ "$PREFIX" != -* && \${#here} -gt 0 ]]; then _describe 'command' here; else _describe 'option' flags; fi ;;`,
  )
  .join('\n')}
  esac
}
if [ "$funcstack[1]" = "_holdpoint" ]; then _holdpoint "$@"; else compdef _holdpoint holdpoint; fi
`;
}

function fish(contexts: readonly Context[]): string {
  const lines = contexts.flatMap((context) => {
    const words = context.path.split(' ').filter(Boolean);
    const below = context.commands.map((c) => c.word);
    const inside = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const notYet = below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : [];
    const when = shellQuote([...inside, ...notYet].join('; and ') || 'true');
    return [
      ...context.commands.map((c) => `complete -c holdpoint -f -n ${when} -a ${c.word} -d ${shellQuote(c.about)}`),
      ...(context.ids === undefined
        ? []
        : [`complete -c holdpoint -f -n ${when} -a '(holdpoint complete ${context.ids} 2>/dev/null)'`]),
      ...context.values.map((value) => `complete -c holdpoint -f -n ${when} -a ${value}`),
      ...context.options.map((o) => {
        const ids = ID_OPTIONS[o.word];
        const offered = ids === undefined ? o.values.join(' ') : `(holdpoint complete ${ids} 2>/dev/null)`;
        const values = offered === '' ? '' : ` -a ${shellQuote(offered)}`;
        return `complete -c holdpoint -n ${when} -l ${o.word.slice(2)}${o.takesValue ? ' -r' : ''}${values} -d ${shellQuote(o.about)}`;
      }),
    ];
  });
  return `# Completion of holdpoint for fish: holdpoint completion fish | source\n${lines.join('\n')}\n`;
}

const WRITERS: Record<Shell, (contexts: readonly Context[]) => string> = { bash, zsh, fish };
