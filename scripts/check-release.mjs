// `npm publish` runs this first, in both packages: says what a release still lacks, and refuses it. What only the publisher
// knows (addresses, the namespace in the MCP registry) is not in the repository: an invented address would be worse than none.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node.mjs';

const read = (file) => readFileSync(join(root, file), 'utf8');
const PACKAGES = ['package.json', 'packages/client/package.json'];

/** One line for each thing to do. */
export function missingForRelease() {
  const [own, client, server] = [...PACKAGES, 'server.json'].map((file) => JSON.parse(read(file)));
  const missing = [own, client].flatMap((manifest, i) =>
    ['repository', 'homepage', 'bugs']
      .filter((field) => manifest[field] === undefined)
      .map((field) => `${PACKAGES[i]}: set "${field}" to the public address of the project`),
  );
  if (/^(com|org|net)\.example\//.test(own.mcpName))
    missing.push('package.json "mcpName" and server.json "name": use your own namespace of the MCP registry');
  if (own.mcpName !== server.name) missing.push('package.json "mcpName" and server.json "name" differ');
  const versions = [own.version, client.version, server.version, ...server.packages.map(({ version }) => version)];
  if (new Set(versions).size > 1) missing.push(`the versions differ: ${versions.join(', ')}`);
  if (!read('CHANGELOG.md').includes(`\n## ${own.version}`))
    missing.push(`CHANGELOG.md: give what is Unreleased the heading "## ${own.version}"`);
  return missing;
}

if (import.meta.filename === process.argv[1]) {
  const missing = missingForRelease();
  if (missing.length > 0) {
    console.error(`Not published. Before a release:\n${missing.map((one) => `- ${one}`).join('\n')}`);
    process.exitCode = 1;
  }
}
