// `holdpoint skills`: publishes, lists, downloads and removes skills. Publishing zips a folder as it is, and replaces a
// skill of the same name only with --replace.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { zipSync } from 'fflate';
import type { Client } from '../../client/client.ts';
import { DEFAULT_NAMESPACE, type SkillView } from '../../core/skill.ts';
import { Command } from '../command.ts';
import type { ServerFlags } from '../command-flags.ts';
import { Failure } from '../failure.ts';
import { note, print, printJson, printList } from '../output.ts';
import { connect } from '../server-connection.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

interface SkillFlags extends ServerFlags {
  namespace: string;
}

const NAME = ['<name>', 'the skill'] as const;
const NAMESPACE = ['--namespace <name>', 'the namespace of the skill', DEFAULT_NAMESPACE] as const;

export function skillsCommand(): Command {
  return new Command('skills', 'skills for agents: publish, list, download, remove')
    .withExamples('holdpoint skills list', 'holdpoint skills publish examples/review-notes --replace')
    .withSubcommands(listCommand(), publishCommand(), downloadCommand(), removeCommand());
}

function listCommand(): Command {
  return new Command('list', 'published skills')
    .argument('[name]', 'part of the name')
    .withExamples('holdpoint skills list', 'holdpoint skills list review')
    .withServer()
    .option(...NAMESPACE)
    .action(async (name: string | undefined, flags: SkillFlags) => {
      const client = await connect(flags);
      const { items } = await client.skills.list({ name, namespace: flags.namespace });
      printList(items, flags, name === undefined ? 'no skill is published' : 'there is no such skill', {
        name: (skill) => line(span(skill.name, 'bold')),
        version: (skill) => oneLine(skill.version ?? ''),
        digest: (skill) => line(span(skill.sha256.slice(0, 12), 'dim')),
        description: (skill) => oneLine(skill.description),
      });
    });
}

function publishCommand(): Command {
  return new Command('publish', 'publish a folder with a SKILL.md in it')
    .argument('<folder>', 'the folder; its name is the name of the skill')
    .option('--replace', 'overwrite the skill of this name')
    .withExamples('holdpoint skills publish examples/review-notes --replace')
    .withServer()
    .option(...NAMESPACE)
    .action(publish);
}

async function publish(folder: string, flags: SkillFlags & { replace?: boolean }): Promise<void> {
  const client = await connect(flags);
  const path = resolve(folder);
  const name = basename(path);
  const upload = { file: new Blob([zipped(path) as Uint8Array<ArrayBuffer>]), fileName: `${name}.zip` };
  const known = flags.replace ? await find(client, name, flags.namespace) : undefined;
  const skill = known
    ? await client.skills.replace(known.id, upload)
    : await client.skills.upload({ ...upload, name, namespace: flags.namespace });
  if (flags.json) return printJson(skill);
  print(line(span(skill.name, 'bold'), ` was ${known ? 'replaced' : 'published'}: ${oneLine(skill.description)}`));
}

function downloadCommand(): Command {
  return new Command('download', "write a skill's zip to a file")
    .argument(...NAME)
    .option('--output <file>', 'the file; by default <name>.zip here')
    .withServer()
    .option(...NAMESPACE)
    .withExamples('holdpoint skills download review-notes')
    .action(async (name: string, flags: SkillFlags & { output?: string }) => {
      const client = await connect(flags);
      const skill = await mustFind(client, name, flags.namespace);
      const file = flags.output ?? `${skill.name}.zip`;
      writeFileSync(file, await client.skills.download(skill.id));
      if (flags.json) return printJson({ ...skill, file });
      print(line(`${skill.name} was written to ${file}`));
    });
}

function removeCommand(): Command {
  return new Command('remove', 'remove a published skill')
    .argument(...NAME)
    .withExamples('holdpoint skills remove review-notes')
    .withServer()
    .option(...NAMESPACE)
    .action(async (name: string, flags: SkillFlags) => {
      const client = await connect(flags);
      const skill = await client.skills.remove((await mustFind(client, name, flags.namespace)).id);
      if (flags.json) return printJson(skill);
      print(line(span(skill.name, 'bold'), ' was ', span('removed', 'bad')));
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

/** Regular files only: a symbolic link could point outside the folder. */
function zipped(folder: string): Uint8Array {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Failure('usage', `${folder} is not a folder`);
  const name = basename(folder);
  const files: Record<string, Uint8Array> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const inside = relative(folder, path).split(sep).join('/');
    if (entry.isSymbolicLink()) note(`skipped ${inside}: it is a symbolic link`);
    else if (entry.isFile()) files[`${name}/${inside}`] = readFileSync(path);
  }
  return zipSync(files);
}
