// Flushes files and folders to the disk: a rename survives a power failure only once its folder was flushed.
import { closeSync, fsyncSync, openSync } from 'node:fs';

export function syncPath(path: string): void {
  // Folders cannot be opened there, and need not be.
  if (process.platform === 'win32') return;
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
