// Gives `connect` and `disconnect` the lock that lets one change be made at a time.
export { tryLock } from '../store/sqlite-lock.ts';
