// The fixture of a release, restored into a folder of its own: the state folder and the person's settings, byte for byte as
// the release wrote them, except for what names the place of the recording: its folder, program, server and machine.
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { root as repository, temporaryFolder } from '../support/process.ts';
import type { Ask, Run } from './api.ts';

/** In the log of the release, which cannot be rewritten: every recording is made here. */
export const RECORDED_AT = '/tmp/holdpoint-recording';
/** Stands in the recorded views for the folder that holds the work folders. */
export const WORK_FOLDERS = '{work}';
/** The release itself, as its hooks call it. */
export const RECORDED_PROGRAM = join(RECORDED_AT, 'release');
export const RELEASES = join(import.meta.dirname, 'releases');

export interface Connection {
  agent: 'claude' | 'codex';
  /** Under the home folder. */
  file: string;
  /** Names the folder of the file, where it is not the agent's usual one. */
  variable?: 'CLAUDE_CONFIG_DIR' | 'CODEX_HOME';
}

/** What `connect` was run for. The second had no settings file before. */
export const CONNECTIONS: readonly [Connection, Connection, Connection, Connection] = [
  { agent: 'claude', file: '.claude/settings.json' },
  { agent: 'claude', file: 'fresh/settings.json', variable: 'CLAUDE_CONFIG_DIR' },
  { agent: 'codex', file: '.codex/hooks.json' },
  { agent: 'codex', file: 'other/hooks.json', variable: 'CODEX_HOME' },
];

export const connectionEnv = (home: string, { file, variable }: Connection): Record<string, string> => ({
  HOME: home,
  ...(variable && { [variable]: join(home, file, '..') }),
});

export interface HooksFile {
  hooks: Record<string, { hooks: { url?: string; command?: string; headers?: Record<string, string> }[] }[]>;
}
export const hooksIn = ({ hooks }: HooksFile) => (hooks.PermissionRequest ?? []).flatMap((group) => group.hooks);

interface Session {
  session_id: string;
  thread_id: string;
}
/** What the release printed about all that it had stored. */
export interface Views {
  sessions: Session[];
  runs: Run[];
  asks: Ask[];
  threads: Record<string, unknown[]>;
}

export class Fixture {
  readonly root = temporaryFolder();
  readonly state = join(this.root, 'state');
  readonly home = join(this.root, 'home');
  readonly views: Views;
  readonly #recorded: string;

  constructor(version: string) {
    this.#recorded = join(RELEASES, version);
    cpSync(join(this.#recorded, 'state'), this.state, { recursive: true });
    chmodSync(this.state, 0o700);
    // The release wrote them for their owner alone; a repository does not keep that.
    for (const name of readdirSync(this.state).filter((file) => /\.(token|key)$/.test(file)))
      chmodSync(join(this.state, name), 0o600);
    const packed = join(this.state, 'holdpoint.db.gz');
    writeFileSync(join(this.state, 'holdpoint.db'), gunzipSync(readFileSync(packed)), { mode: 0o600 });
    rmSync(packed);
    this.#moveWorkFolders();
    this.#moveHookNotes();
    this.views = JSON.parse(
      readFileSync(join(this.#recorded, 'views.json'), 'utf8').replaceAll(WORK_FOLDERS, join(this.root, 'work')),
    );
    mkdirSync(join(this.root, 'work'));
    for (const name of ['claude-held', 'claude-died', 'codex', 'exec']) mkdirSync(join(this.root, 'work', name));
  }

  /** In the sessions; what the log and the digests say of them stays as it was. */
  #moveWorkFolders(): void {
    const database = new DatabaseSync(join(this.state, 'holdpoint.db'));
    database.prepare('UPDATE sessions SET work_folder = replace(work_folder, ?, ?)').run(RECORDED_AT, this.root);
    database.close();
  }

  /** The hooks that wrote them ran, and were killed, on this machine. */
  #moveHookNotes(): void {
    for (const name of readdirSync(join(this.state, 'hooks'))) {
      const path = join(this.state, 'hooks', name);
      const note = JSON.parse(readFileSync(path, 'utf8'));
      writeFileSync(path, JSON.stringify({ ...note, process: { ...note.process, host: hostname() } }));
    }
  }

  settings = (connection: Connection): string => join(this.home, connection.file);

  hooks = (connection: Connection) =>
    hooksIn(JSON.parse(readFileSync(this.settings(connection), 'utf8').replace('\uFEFF', '')) as HooksFile);

  /** The settings file before `connect`; undefined where there was none. */
  before(connection: Connection): Buffer | undefined {
    const path = join(this.#recorded, 'before', connection.file);
    return existsSync(path) ? readFileSync(path) : undefined;
  }

  /** The settings and the records as `connect` left them, as if it had been run here, for the server at this address. */
  restoreConnections(url: string): void {
    const records = join(this.state, 'connections');
    const replaced = new Set(readdirSync(records));
    cpSync(join(this.#recorded, 'home'), this.home, { recursive: true });
    const recordedRecords = join(this.#recorded, 'state', 'connections');
    for (const name of readdirSync(recordedRecords)) {
      const text = readFileSync(join(recordedRecords, name), 'utf8');
      const recorded = JSON.parse(text) as { file: string; url: string; written_sha256: string };
      const moved = (before: string) =>
        before
          .replaceAll(RECORDED_PROGRAM, repository)
          .replaceAll(RECORDED_AT, this.root)
          .replaceAll(recorded.url, url);
      const written = readFileSync(join(this.#recorded, relative(RECORDED_AT, recorded.file)), 'utf8');
      if (sha256(written) !== recorded.written_sha256) throw new Error(`${recorded.file} was changed in the fixture`);
      const file = moved(recorded.file);
      writeFileSync(file, moved(written));
      chmodSync(file, 0o600);
      const record = moved(text).replace(recorded.written_sha256, sha256(moved(written)));
      const [agent] = name.split('-');
      const recordName = `${agent}-${sha256(file).slice(0, 16)}.json`;
      writeFileSync(join(records, recordName), record, { mode: 0o600 });
      replaced.delete(recordName);
    }
    // Last: a running server ends the asks of an agent that has no record.
    for (const name of replaced) rmSync(join(records, name));
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
