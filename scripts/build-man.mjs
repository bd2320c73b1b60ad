// Writes a man page for the program and for each of its commands into man/, from the help that the program prints. Nothing in
// them is written twice: a flag that changes, changes here with the next build.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node.mjs';

const { createProgram } = await import('../src/cli/program.ts');
const { EXIT, EXIT_MEANINGS } = await import('../src/cli/exit-codes.ts');
const { version } = await import('../src/cli/version.ts');

const folder = join(root, 'man');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const program = await createProgram();
write(program, [program], []);
for (const command of program.createHelp().visibleCommands(program)) {
  if (command.name() === 'help') continue;
  const below = command.commands.filter((one) => one.name() !== 'help');
  write(command, below.length > 0 ? below : [command], ['holdpoint(1)']);
}

/** One page; `parts` are the commands whose flags it lists. */
function write(command, parts, seeAlso) {
  const name = pathOf(command).join('-');
  const help = command.createHelp();
  const lines = [
    `.TH ${name.toUpperCase()} 1 "" "holdpoint ${version}" "Holdpoint"`,
    '.SH NAME',
    `${text(name)} \\- ${text(command.description())}`,
    '.SH SYNOPSIS',
    ...parts.flatMap((part, i) => [...(i > 0 ? ['.br'] : []), `.B ${text(help.commandUsage(part))}`]),
    ...(command === program ? commandsOf(command) : parts.flatMap((part) => flagsOf(part, parts.length > 1))),
    '.SH EXAMPLES',
    ...[...new Set([command, ...parts].flatMap(examplesOf))].flatMap((example) => ['.PP', '.nf', text(example), '.fi']),
    '.SH EXIT STATUS',
    ...Object.entries(EXIT).flatMap(([exit, code]) => [
      '.TP',
      `.B ${code}`,
      text(EXIT_MEANINGS[exit].replaceAll('`', '')),
    ]),
    ...(seeAlso.length > 0 ? ['.SH SEE ALSO', text(seeAlso.join(', '))] : []),
  ];
  writeFileSync(join(folder, `${name}.1`), `${lines.join('\n')}\n`);
}

function commandsOf(command) {
  const commands = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');
  return [
    '.SH COMMANDS',
    ...commands.flatMap((one) => ['.TP', `.BR holdpoint\\-${text(one.name())} (1)`, text(one.description())]),
  ];
}

function flagsOf(command, isNamed) {
  const help = command.createHelp();
  const head = isNamed ? [`.SH ${text(command.name().toUpperCase())}`, text(command.description())] : ['.SH OPTIONS'];
  const given = [
    ...help.visibleArguments(command).map((one) => [`<${one.name()}>`, one.description]),
    ...help.visibleOptions(command).map((one) => [one.flags, help.optionDescription(one)]),
  ];
  return [...head, ...given.flatMap(([term, about]) => ['.TP', `.B ${text(term)}`, text(about)])];
}

function examplesOf(command) {
  let printed = '';
  command.configureOutput({
    writeOut: (more) => {
      printed += more;
    },
  });
  command.outputHelp();
  return [...(printed.split(/^Examples:$/m)[1] ?? '').matchAll(/^ {2}\$ (.+)$/gm)].map(([, example]) => example);
}

function pathOf(command) {
  return command.parent ? [...pathOf(command.parent), command.name()] : [command.name()];
}

/** Text that roff reads as text. */
function text(value) {
  return value
    .replaceAll('…', '...')
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
