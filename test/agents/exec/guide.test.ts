// docs/runtime-adapter.md compared with the code: every reason, event, environment variable and runtime is in it, and its
// example of a sentinel is valid.
// Covers: docs/runtime-adapter.md
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plain } from '../../../src/agents/exec/runtime.ts';
import { parseSentinel } from '../../../src/agents/exec/sentinel.ts';
import { loadAgents } from '../../../src/agents/registry.ts';
import { EVENT_TYPES } from '../../../src/core/event.ts';
import { FAILURE_REASONS } from '../../../src/core/run.ts';
import { root } from '../../support/process.ts';

const registered = (await loadAgents()).flatMap(({ runtime }) => (runtime ? [runtime()] : []));
const runtimes = [...(await Promise.all(registered)), plain];
const guide = readFileSync(join(root, 'docs/runtime-adapter.md'), 'utf8');
const source = readFileSync(join(root, 'src/agents/exec/run.ts'), 'utf8');

it('names every reason, event, environment variable and runtime', () => {
  const names = [
    ...FAILURE_REASONS,
    ...EVENT_TYPES.filter((type) => type.startsWith('dispatch.')).map((type) => type.slice('dispatch.'.length)),
    ...new Set(source.match(/AGORA_[A-Z_]+/g)),
    ...runtimes.map((runtime) => runtime.name),
    ...runtimes
      .flatMap((runtime) => runtime.overlay([]).map((file) => file.path))
      .filter((path) => !path.includes('.git')),
  ];
  expect(names.filter((name) => !guide.includes(name))).toEqual([]);
});

it('shows a valid sentinel', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
  expect(parseSentinel(Buffer.from(example))).toMatchObject({
    question: expect.any(String),
    partial_state: { built: true },
  });
});
