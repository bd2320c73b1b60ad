// `holdpoint version`: the version of this program and of what runs it.
import { Command } from '../command.ts';
import { print, printJson } from '../output.ts';
import { line } from '../text/spans.ts';
import { version } from '../version.ts';

export function versionCommand(): Command {
  return new Command('version', 'the version of this program, and of the Node that runs it')
    .option('--json', 'print JSON')
    .withExamples('holdpoint version')
    .action(({ json }: { json?: boolean }) => {
      const { platform, arch } = process;
      const found = { holdpoint: version, node: process.versions.node, platform: `${platform}-${arch}` };
      if (json) return printJson(found);
      print(line(`holdpoint ${found.holdpoint}, Node ${found.node}, ${found.platform}`));
    });
}
