// Tests how a unified diff is split into its files, and that no line of it is lost.
import { describe, expect, it } from 'vitest';
import { diffFiles } from '../../../web/src/text/diff-files.ts';

const git = (from: string, to: string, more = '') => `diff --git a/${from} b/${to}\n${more}`;
const names = (patch: string) => diffFiles(patch).map(({ verb, name, before }) => [verb, name, before]);
const notes = (patch: string) =>
  diffFiles(patch).flatMap(({ blocks }) =>
    blocks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === 'note').map(({ text }) => text)),
  );

const EDIT = `${git('a.ts', 'a.ts', 'index 1..2 100644\n')}--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-x\n+y\n`;
const CREATE = `${git('n.sh', 'n.sh', 'new file mode 100755\n')}--- /dev/null\n+++ b/n.sh\n@@ -0,0 +1 @@\n+x\n`;
const DELETE = `${git('o.ts', 'o.ts', 'deleted file mode 100644\n')}--- a/o.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n`;
const RENAME = git('p.ts', 'q.ts', 'similarity index 100%\nrename from p.ts\nrename to q.ts\n');

describe('the files of a diff', () => {
  it('have their names and what happens to them', () => {
    expect(names(EDIT + CREATE + DELETE + RENAME)).toEqual([
      ['Edit', 'a.ts', undefined],
      ['Create', 'n.sh', undefined],
      ['Delete', 'o.ts', undefined],
      ['Rename', 'q.ts', 'p.ts'],
    ]);
    expect(names('--- a/one\n+++ b/one\n@@ -1 +1 @@\n-x\n+y\n--- a/two\n+++ b/two\n@@ -1 +1 @@\n-x\n+y\n')).toEqual([
      ['Edit', 'one', undefined],
      ['Edit', 'two', undefined],
    ]);
  });

  it('leave out headers that say nothing more, and keep the others', () => {
    expect(notes(EDIT)).toEqual([]);
    expect(notes(CREATE)).toEqual(['new file mode 100755']);
    expect(notes('no diff at all')).toEqual(['no diff at all']);
  });

  it('show headers that name something else than the file above them', () => {
    const disguised = `diff --git a/shown.ts b/other.ts\n--- a/shown.ts\n--- a/hidden.ts\n+++ b/shown.ts\n@@ -1 +1 @@\n-x\n+y\n`;
    expect(notes(disguised)).toEqual(['diff --git a/shown.ts b/other.ts', '--- a/hidden.ts']);
  });

  it('end a hunk at a line that cannot be in it, whatever it counts', () => {
    expect(names(EDIT.replace('-1 +1', '-1,9 +1,9') + DELETE)).toHaveLength(2);
  });
});
