// Getting started: from the server to the answers of the demo, with nothing but the commands and keys that the program
// prints. Once at the prompts of the demo, once in the inbox. Needs python3 for the terminals.
// Covers: src/cli/commands/serve.ts, src/cli/startup-hints.ts, src/cli/program-name.ts
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root, temporaryFolder } from '../support/process.ts';
import { hasPty, KEYS, openPty, type Pty } from '../support/pty.ts';
import { closeTestBeds, node, PATIENT } from './test-bed.ts';

afterAll(closeTestBeds);

const PATH = [dirname(node), process.env.PATH].join(delimiter);
const foreign = /^(HOLDPOINT_|NODE_OPTIONS$|EDITOR$|VISUAL$|NO_COLOR$|FORCE_COLOR$|npm_)/;
const plainEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
const env = { ...plainEnv, PATH, NO_COLOR: '1' };

/** Another terminal, in the same folder, into which a line is copied. */
const typeIn = (line: string): Pty => openPty({ command: ['/bin/sh', '-c', line], env, cwd: root, columns: 110 });

async function serve(): Promise<{ server: Pty; demo: string; inbox: string; doctor: string }> {
  const own = { HOLDPOINT_PORT: '0', HOLDPOINT_DATA: join(temporaryFolder(), 'state of mine') };
  const server = openPty({ command: [node, 'bin/holdpoint'], env: { ...env, ...own }, cwd: root, columns: 200 });
  await server.shows(/holdpoint ready http:\/\/127\.0\.0\.1:\d+/);
  await server.shows('Ctrl-C stops the server');
  const shown = server.screen().join('\n');
  const settings = /^ +(export .*)$/m.exec(shown)?.[1] ?? ':';
  const named = (name: string) => `${settings}; ${new RegExp(`^ +(.* ${name}) {2,}`, 'm').exec(shown)?.[1]}`;
  return { server, demo: named('demo'), inbox: named('inbox'), doctor: named('doctor') };
}

/** Longer than the moment in which the inbox ignores keys meant for what was shown before. */
const looked = () => new Promise((resolve) => setTimeout(resolve, 500));

describe.skipIf(!hasPty)('a first-time user (needs python3)', PATIENT, () => {
  it('answers the asks of the demo at its prompts', async () => {
    const { server, demo, doctor } = await serve();
    const checked = typeIn(doctor);
    expect(await checked.exited).toBe(0);
    expect(checked.screen().join('\n')).toMatch(/All is well\.|It works\./);
    const person = typeIn(demo);
    await person.shows('Which date library should stay?');
    await person.shows('date-fns');
    person.type(KEYS.enter);
    await person.shows('Allow Bash?');
    await person.shows('Change it, then allow');
    person.type(KEYS.up + KEYS.up + KEYS.enter);
    await person.shows('Is this a patch or a minor release?');
    person.type(KEYS.enter);
    await person.shows('What the agent received');
    expect(await person.exited).toBe(0);
    const received = person.screen().slice(person.screen().indexOf('What the agent received') + 1);
    expect(received.filter(Boolean)).toEqual([
      '  date-library ← date-fns (operator, cli; delivered)',
      '  rewrite-snapshots ← allow (operator, cli; delivered)',
      '  version-bump ← patch (operator, cli; delivered)',
    ]);
    server.type(KEYS.ctrlC);
    expect(await server.exited).toBe(0);
  });

  it('answers the asks of the demo in the inbox, with the keys it names', async () => {
    const { server, demo, inbox } = await serve();
    const person = typeIn(inbox);
    await person.shows('Nothing is waiting for an answer.');
    await person.shows(/demo$/m);
    const watched = typeIn(demo);
    await person.shows(/Which date library should stay\?[\s\S]*enter answer/);
    person.type(KEYS.enter);
    await person.shows('enter select');
    await looked();
    person.type(KEYS.enter);
    await person.shows(/^›! .*Bash: rm -rf[\s\S]*a allow/m);
    await looked();
    person.type('a');
    await person.shows('enter allows');
    person.type(KEYS.enter);
    await person.shows(/^›\? .*patch or a minor[\s\S]*enter answer/m);
    person.type(KEYS.enter);
    await person.shows('enter select');
    await looked();
    person.type(KEYS.enter);
    await watched.shows('What the agent received');
    expect(await watched.exited).toBe(0);
    person.type('q');
    expect(await person.exited).toBe(0);
    server.type(KEYS.ctrlC);
    expect(await server.exited).toBe(0);
  });
});
