// The order of test files: those that start browsers, servers and databases first, so that no long one is left for the
// end while the other workers have nothing to do. Vitest's own order (by size, or by how long they took here before) decides the
// rest; a fresh clone knows no times.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const HEAVIEST = [
  'test/agents/real/conformance.test.ts',
  'test/faults/',
  'test/browser/',
  'test/cli/',
  'test/start.test.ts',
  'test/store/',
  'test/worker/',
  'test/agents/',
  'test/mcp/',
  'test/fuzz/',
];

export class HeaviestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const found = HEAVIEST.findIndex((place) => moduleId.replaceAll('\\', '/').includes(`/${place}`));
  return found === -1 ? HEAVIEST.length : found;
}
