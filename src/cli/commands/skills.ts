// `holdpoint skills`: what agents can be taught. Publishing packs a folder as it is; a folder of that name that is there
// already is overwritten only when asked to.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { Command } from 'commander';
import { zipSync } from 'fflate';
import type { Client } from '../../client/client.ts';
import { DEFAULT_NAMESPACE, type SkillView } from '../../core/skill.ts';
import { Failure } from '../failure.ts';
import { withExamples } from '../help-examples.ts';
import { print, printJson, printTable } from '../output.ts';
import { connect, note, type ServerFlags, withServer } from '../server-connection.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

interface SkillFlags extends ServerFlags {
  namespace: string;
}

const inNamespace = (command: Command): Command =>
  withServer(command).option('--namespace <name>', 'where the name is looked for', DEFAULT_NAMESPACE);

export function skillsCommand(): Command {
  const command = new Command('skills').description('what agents can be taught: publish, list, download, remove');
  withExamples(command, 'holdpoint skills list', 'holdpoint skills publish examples/review-notes --replace');
  for (const add of [listCommand, publishCommand, downloadCommand, removeCommand]) command.addCommand(add());
  return command;
}

function listCommand(): Command {
  const command = new Command('list').description('published skills').argument('[name]', 'part of the name');
  withExamples(command, 'holdpoint skills list', 'holdpoint skills list review');
  return inNamespace(command).action(async (name: string | undefined, flags: SkillFlags) => {
    const client = await connect(flags);
    const { items } = await client.skills.list({ name, namespace: flags.namespace });
    if (flags.json) return printJson(items);
    if (items.length === 0) return note(name === undefined ? 'no skill is published' : 'there is no such skill');
    const rows = items.map((skill) => [
      line(span(skill.name, 'bold')),
      line(oneLine(skill.version ?? '')),
      line(span(skill.sha256.slice(0, 12), 'dim')),
      line(oneLine(skill.description)),
    ]);
    const columns = ['NAME', 'VERSION', 'DIGEST'].map((title) => ({ title }));
    printTable([...columns, { title: 'DESCRIPTION', flexible: true }], rows);
  });
}

function publishCommand(): Command {
  const command = new Command('publish')
    .description('publish a folder with a SKILL.md in it')
    .argument('<folder>', 'the folder; its name is the name of the skill')
    .option('--replace', 'overwrite the skill of this name');
  withExamples(command, 'holdpoint skills publish examples/review-notes --replace');
  return inNamespace(command).action(async (folder: string, flags: SkillFlags & { replace?: boolean }) => {
    const client = await connect(flags);
    const path = resolve(folder);
    const name = basename(path);
    const upload = { file: new Blob([packed(path) as Uint8Array<ArrayBuffer>]), fileName: `${name}.zip` };
    const known = flags.replace ? await find(client, name, flags.namespace) : undefined;
    const skill = known
      ? await client.skills.replace(known.id, upload)
      : await client.skills.upload({ ...upload, name, namespace: flags.namespace });
    if (flags.json) return printJson(skill);
    print(line(span(skill.name, 'bold'), ` is ${known ? 'replaced' : 'published'}: ${oneLine(skill.description)}`));
  });
}

function downloadCommand(): Command {
  const command = new Command('download')
    .description("write a skill's zip to a file")
    .argument('<name>', 'the skill')
    .option('--output <file>', 'where to; <name>.zip here otherwise');
  withExamples(command, 'holdpoint skills download review-notes');
  return inNamespace(command).action(async (name: string, flags: SkillFlags & { output?: string }) => {
    const client = await connect(flags);
    const skill = await mustFind(client, name, flags.namespace);
    const file = flags.output ?? `${skill.name}.zip`;
    writeFileSync(file, await client.skills.download(skill.id));
    if (flags.json) return printJson({ ...skill, file });
    print(line(`${skill.name} is in ${file}`));
  });
}

function removeCommand(): Command {
  const command = new Command('remove').description('remove a published skill').argument('<name>', 'the skill');
  withExamples(command, 'holdpoint skills remove review-notes');
  return inNamespace(command).action(async (name: string, flags: SkillFlags) => {
    const client = await connect(flags);
    const skill = await client.skills.remove((await mustFind(client, name, flags.namespace)).id);
    if (flags.json) return printJson(skill);
    print(line(span(skill.name, 'bold'), ' is ', span('removed', 'bad')));
  });
}

async function find(client: Client, name: string, namespace: string): Promise<SkillView | undefined> {
  return (await client.skills.list({ name, namespace, exact_match: true })).items[0];
}

async function mustFind(client: Client, name: string, namespace: string): Promise<SkillView> {
  const skill = await find(client, name, namespace);
  if (skill) return skill;
  throw new Failure('not_found', `there is no skill "${oneLine(name)}" in namespace "${oneLine(namespace)}"`);
}

/** Plain files only: a link could lead anywhere. */
function packed(folder: string): Uint8Array {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Failure('usage', `${folder} is not a folder`);
  const name = basename(folder);
  const files: Record<string, Uint8Array> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const inside = relative(folder, path).split(sep).join('/');
    if (entry.isSymbolicLink()) note(`left out: ${inside} is a link`);
    else if (entry.isFile()) files[`${name}/${inside}`] = readFileSync(path);
  }
  return zipSync(files);
}
