// Runs the person's editor on a text, at the person's terminal, to change the input of an approval before it is allowed.
// The only process that the command line starts, and only on request.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const editorOf = (env: NodeJS.ProcessEnv): string | undefined => env.VISUAL || env.EDITOR || undefined;

/** Returns the edited text. The file is readable by the person only, and removed afterwards. */
export async function editText(editor: string, name: string, text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-edit-'));
  const file = join(folder, name);
  try {
    writeFileSync(file, text, { mode: 0o600 });
    await run(editor, file);
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Through a shell, because the variable may hold `code --wait`; the file is an argument, never part of the command. */
function run(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) return resolve();
      reject(new Error(`the editor ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}
