// `holdpoint comment`: says something about a pending request of either kind without deciding it.
import { commentCommand as commentOn } from '../activity-subcommands.ts';
import type { Command } from '../command.ts';

export const commentCommand = (): Command => commentOn(undefined, 'd1d077');
