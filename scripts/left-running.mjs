// Finds processes that the tests of real agents have left running: all that these tests start works in a temporary folder of
// the run, or has its name in its environment or arguments. Reads the process table of Linux; elsewhere it finds none.
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Each as `pid: command line`. */
export function leftRunning(folder) {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && isOf(folder, pid))
    .map((pid) => `${pid}: ${read(pid, 'cmdline').replaceAll('\0', ' ').trim()}`);
}

const isOf = (folder, pid) =>
  isWithin(folder, link(pid)) || read(pid, 'environ').includes(folder) || read(pid, 'cmdline').includes(folder);

const isWithin = (folder, path) => path === folder || path.startsWith(`${folder}/`);

function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

function link(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
