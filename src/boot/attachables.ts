// The agents of this machine that a worker attaches to while they run.
import { attachableCodex } from '../agents/codex-attached.ts';

export const attachables = [attachableCodex];
