// Undoes what `npm start` did to the environment, so that the agents a server hosts see that of the person who typed it:
// their `node` and their programs, not those of this clone, and npm settings of theirs, not of ours.
// Pure. Which settings in npm's own notation (`npm_config_…`, in small letters) the person had themselves cannot be told
// from those that npm added: those go too. In capitals (`NPM_CONFIG_…`) they are the person's, and stay.

import { basename, delimiter, dirname, join } from 'node:path';

/** `folder` is the one that npm ran the script of. */
export function withoutNpm(env, folder) {
  const isAdded = (name, value) =>
    name.startsWith('npm_') ||
    name === 'INIT_CWD' ||
    name === 'COLOR' ||
    (name === 'NODE' && value === env.npm_node_execpath) ||
    (name === 'EDITOR' && value === (env.npm_config_editor ?? env.VISUAL ?? 'vi'));
  return Object.fromEntries(
    Object.entries(env)
      .filter(([name, value]) => !isAdded(name, value))
      .map(([name, value]) => [name, /^path$/i.test(name) ? pathBefore(value, folder) : value]),
  );
}

/** npm puts its folders first. What the person has of the same further on stays. */
function pathBefore(path, folder) {
  const added = new Set(above(folder).map((one) => join(one, 'node_modules', '.bin')));
  const isAdded = (entry) => added.delete(entry) || basename(entry) === 'node-gyp-bin';
  const entries = path.split(delimiter);
  const first = entries.findIndex((entry) => !isAdded(entry));
  return first < 0 ? '' : entries.slice(first).join(delimiter);
}

/** The folder, and every one that holds it. */
function above(folder) {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...above(parent)];
}
