// What the work folder of a run brings along for Codex: the `.codex` folders from there up to the root of its repository,
// with servers, hooks, rules and settings. Owns whether they hold in a run that says so; otherwise the person's own
// configuration does. It holds for the run: Codex writes down for ever that it trusts a folder which is named to it
// and may be changed, so a thread is begun where its process is, in a folder that nobody names.
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Peer } from '../wire/json-rpc.ts';
import type { CodexSpec } from './input.ts';

type Config = Record<string, unknown>;

export interface Configured {
  /** For `thread/start` and `thread/resume`. */
  config: Config | undefined;
  /** The MCP servers that Codex finds by itself with it. */
  servers: string[];
}

export async function configuredFor(
  { settings: { config }, trustsFolder }: CodexSpec,
  folder: string,
  peer: Pick<Peer, 'request'>,
): Promise<Configured> {
  const reply = ConfigReply.parse(await peer.request('config/read', { cwd: folder, includeLayers: true }));
  const layers = (reply.layers ?? []).map(({ name, config, disabledReason }) => ({
    folder: name.dotCodexFolder && dirname(name.dotCodexFolder),
    servers: Object.keys(Object(Object(config).mcp_servers)),
    holds: disabledReason == null,
  }));
  const holds = layers.filter((layer) => (layer.folder ? (trustsFolder ?? layer.holds) : layer.holds));
  return { config: withTrust(config, levelsOf(layers)), servers: holds.flatMap(({ servers }) => servers) };

  function levelsOf(layers: readonly Layer[]): Config {
    if (trustsFolder === undefined) return {};
    const brought = layers.flatMap((layer) => (layer.folder ? [{ ...layer, folder: layer.folder }] : []));
    if (trustsFolder) return marked([folder, ...brought.map((layer) => layer.folder)], 'trusted');
    // Only where it would hold: Codex lets more be done in a folder it is told not to trust than in one it knows nothing of.
    return marked(
      brought.filter((layer) => layer.holds).map((layer) => layer.folder),
      'untrusted',
    );
  }
}

interface Layer {
  folder: string | undefined;
  servers: string[];
  holds: boolean;
}

const marked = (folders: readonly string[], trust_level: 'trusted' | 'untrusted'): Config =>
  Object.fromEntries(folders.map((folder) => [folder, { trust_level }]));

/** As a table in a table: in a path, the dots of a folder's name would divide it. */
const withTrust = (config: Config | undefined, levels: Config): Config | undefined =>
  Object.keys(levels).length === 0 ? config : { ...config, projects: { ...Object(config?.projects), ...levels } };

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
