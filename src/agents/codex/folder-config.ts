// Applies a run's `trust_folder` to the `.codex` folders (servers, hooks, rules, settings) from its work folder up to the
// root of the repository; without it the person's own configuration decides. The trust is limited to the run: Codex would
// persist it for a writable folder named by `cwd`, so `thread/start` names none and Codex takes that of its process.
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Peer } from '../wire/json-rpc.ts';
import type { CodexSpec } from './input.ts';

type Config = Record<string, unknown>;

export interface FolderConfig {
  /** For `thread/start` and `thread/resume`. */
  config: Config | undefined;
  /** The MCP servers that Codex would start with it. */
  servers: string[];
}

export async function folderConfig(
  { settings: { config }, trustsFolder }: CodexSpec,
  folder: string,
  peer: Pick<Peer, 'request'>,
): Promise<FolderConfig> {
  const reply = ConfigReply.parse(await peer.request('config/read', { cwd: folder, includeLayers: true }));
  const layers = (reply.layers ?? []).map(({ name, config, disabledReason }) => ({
    folder: name.dotCodexFolder && dirname(name.dotCodexFolder),
    servers: Object.keys(Object(Object(config).mcp_servers)),
    applies: disabledReason == null,
  }));
  const applying = layers.filter((layer) => (layer.folder ? (trustsFolder ?? layer.applies) : layer.applies));
  const trust = trustsFolder === undefined ? {} : trustLevels(trustsFolder, folder, layers);
  return { config: withTrust(config, trust), servers: applying.flatMap(({ servers }) => servers) };
}

/** Untrusts only layers that would apply: Codex allows more in a folder marked untrusted than in one it does not know. */
function trustLevels(
  isTrusted: boolean,
  workFolder: string,
  layers: readonly { folder: string | undefined; applies: boolean }[],
): Config {
  const inLayers = layers.filter(({ applies }) => isTrusted || applies).flatMap(({ folder }) => folder ?? []);
  const folders = isTrusted ? [workFolder, ...inLayers] : inLayers;
  const trust_level = isTrusted ? 'trusted' : 'untrusted';
  return Object.fromEntries(folders.map((folder) => [folder, { trust_level }]));
}

/** As nested tables: in a dotted key, the dots of a folder name would split it. */
const withTrust = (config: Config | undefined, trust: Config): Config | undefined =>
  Object.keys(trust).length === 0 ? config : { ...config, projects: { ...Object(config?.projects), ...trust } };

const ConfigReply = z.looseObject({
  layers: z
    .array(
      z.looseObject({
        name: z.looseObject({ dotCodexFolder: z.string().optional() }),
        config: z.unknown(),
        disabledReason: z.string().nullish(),
      }),
    )
    .nullish(),
});
