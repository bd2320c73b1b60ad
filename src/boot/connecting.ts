// What connecting a person's own agent needs: how each agent's settings are changed, and that one change is made at a time.
export { connectors } from '../agents/connectors.ts';
export { tryLock } from '../store/sqlite-lock.ts';
