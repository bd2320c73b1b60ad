// `holdpoint completion`: completion for a shell, written from the tree of commands, so that it knows what there is and
// nothing else. The scripts stand on their own: they call nothing while a person types.
import { Argument, Command } from 'commander';
import { withExamples } from '../help-examples.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

export function completionCommand(): Command {
  const command = new Command('completion')
    .description('print completion for a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS));
  withExamples(command, 'holdpoint completion bash', 'holdpoint completion zsh', 'holdpoint completion fish');
  return command.action((shell: Shell, _flags: object, self: Command) => {
    process.stdout.write(WRITERS[shell](placesOf(self.parent ?? self)));
  });
}

interface Word {
  word: string;
  about: string;
}
/** A place in the tree: what may follow these words. */
interface Place {
  path: string;
  commands: Word[];
  options: (Word & { takesValue: boolean; values: readonly string[] })[];
  values: readonly string[];
}

function placesOf(command: Command, path = ''): Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((c) => c.name() !== 'help');
  const here: Place = {
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
  };
  return [here, ...commands.flatMap((c) => placesOf(c, `${path} ${c.name()}`.trim()))];
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const wordsOf = (place: Place): string =>
  [...place.commands, ...place.options]
    .map((w) => w.word)
    .concat(place.values)
    .join(' ');

/** The words so far, without options and their values, name the place. */
function bash(places: readonly Place[]): string {
  const valued = places.flatMap((p) => p.options.filter((o) => o.takesValue).map((o) => o.word));
  const chosen = new Map(
    places.flatMap((p) => p.options.filter((o) => o.values.length > 0).map((o) => [o.word, o.values])),
  );
  return `# Completion of holdpoint for bash: source <(holdpoint completion bash)
_holdpoint() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" place="" word i
  case "$prev" in
${[...chosen].map(([word, values]) => `    ${word}) COMPREPLY=($(compgen -W ${quoted(values.join(' '))} -- "$cur")); return ;;`).join('\n')}
    --*-file|--data|--work-folder|--tls-*) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    ${[...new Set(valued)].join('|')}) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      ${[...new Set(valued)].join('|')}) i=$((i + 1)) ;;
      -*) ;;
      *) case " ${places.map((p) => p.path.replaceAll(' ', '/')).join(' ')} " in *" \${place:+$place/}$word "*) place="\${place:+$place/}$word" ;; esac ;;
    esac
  done
  case "$place" in
${places.map((p) => `    ${quoted(p.path.replaceAll(' ', '/'))}) COMPREPLY=($(compgen -W ${quoted(wordsOf(p))} -- "$cur")) ;;`).join('\n')}
  esac
}
complete -F _holdpoint holdpoint
`;
}

function zsh(places: readonly Place[]): string {
  const described = (words: readonly Word[]) =>
    words.map((w) => quoted(`${w.word.replaceAll(':', '\\:')}:${w.about}`)).join(' ');
  const valued = [...new Set(places.flatMap((p) => p.options.filter((o) => o.takesValue).map((o) => o.word)))];
  return `#compdef holdpoint
# Completion of holdpoint for zsh: holdpoint completion zsh > "\${fpath[1]}/_holdpoint"
_holdpoint() {
  local place="" word skip=0
  local -a known=(${places.map((p) => quoted(p.path.replaceAll(' ', '/'))).join(' ')})
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    if (( skip )); then skip=0; continue; fi
    case "$word" in
      ${valued.join('|')}) skip=1 ;;
      -*) ;;
      *) (( \${known[(Ie)\${place:+$place/}$word]} )) && place="\${place:+$place/}$word" ;;
    esac
  done
  case "$place" in
${places
  .map(
    (p) => `    ${quoted(p.path.replaceAll(' ', '/'))})
      local -a here=(${described([...p.commands, ...p.values.map((word) => ({ word, about: '' }))])})
      local -a flags=(${described(p.options)})
      if [[ "$PREFIX" != -* && \${#here} -gt 0 ]]; then _describe 'command' here; else _describe 'option' flags; fi ;;`,
  )
  .join('\n')}
  esac
}
if [ "$funcstack[1]" = "_holdpoint" ]; then _holdpoint "$@"; else compdef _holdpoint holdpoint; fi
`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap((place) => {
    const words = place.path.split(' ').filter(Boolean);
    const below = place.commands.map((c) => c.word);
    const inside = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const notYet = below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : [];
    const when = quoted([...inside, ...notYet].join('; and ') || 'true');
    return [
      ...place.commands.map((c) => `complete -c holdpoint -f -n ${when} -a ${c.word} -d ${quoted(c.about)}`),
      ...place.values.map((value) => `complete -c holdpoint -f -n ${when} -a ${value}`),
      ...place.options.map((o) => {
        const values = o.values.length > 0 ? ` -a ${quoted(o.values.join(' '))}` : '';
        return `complete -c holdpoint -n ${when} -l ${o.word.slice(2)}${o.takesValue ? ' -r' : ''}${values} -d ${quoted(o.about)}`;
      }),
    ];
  });
  return `# Completion of holdpoint for fish: holdpoint completion fish | source\n${lines.join('\n')}\n`;
}

const WRITERS: Record<Shell, (places: readonly Place[]) => string> = { bash, zsh, fish };
