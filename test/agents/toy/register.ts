// Adds the toy agent's line to the registry. Loaded with `node --import` before the program under test.
import { registry } from '../../../src/agents/registry.ts';

registry.toy = async () => (await import('./agent.ts')).toy;
