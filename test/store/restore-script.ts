// Restores a backup into a state folder with the store alone, for a process that a test kills at every system call that changes
// the folder: `node restore-script.ts <folder> <backup>`.
import { openBackup, stageBackup } from '../../src/store/sqlite-restore.ts';

const [folder = '', file = ''] = process.argv.slice(2);
const staged = stageBackup(folder, file, true);
openBackup(staged.path).db.close();
staged.install(Date.now());
staged.close();
