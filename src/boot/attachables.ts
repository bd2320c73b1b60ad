// The agents of this machine that a worker attaches to while they run.
import { attachableCodex } from '../agents/codex/attach.ts';
import type { Attachable } from '../worker/attachments.ts';

export const attachables: readonly Attachable[] = [attachableCodex];
