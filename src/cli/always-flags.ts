// Reads the flags that say what is allowed from now on: `--always` with its scope, patterns and limits.
import { Option } from 'commander';
import type { z } from 'zod';
import { type Always, GRANT_SCOPES } from '../core/grant.ts';
import type { ApprovalAskView } from '../core/views.ts';
import type { Command } from './command.ts';
import { repeated, wholeNumber } from './command-flags.ts';
import { Failure } from './failure.ts';

export interface AlwaysFlags {
  scope?: (typeof GRANT_SCOPES)[number];
  match?: string[];
  uses?: string;
  expiresAfterMs?: string;
}

/** `when`: what the flags go with, before each of them. */
export const withAlways = (command: Command, when = ''): Command =>
  command
    .addOption(new Option('--scope <scope>', `${when}where it applies`).choices(GRANT_SCOPES))
    .option(
      '--match <pattern>',
      `${when}which commands ("git push *"), or which value of an argument ("file_path=/srv/*"); may be repeated`,
      repeated,
    )
    .option('--uses <number>', `${when}for how many calls`)
    .option('--expires-after-ms <number>', `${when}for how long`);

/** Whether a flag was given that means something only with --always. */
export const hasAlways = ({ scope, match, uses, expiresAfterMs }: AlwaysFlags): boolean =>
  [scope, match, uses, expiresAfterMs].some((flag) => flag !== undefined);

export function alwaysOf(
  { scope, match, uses, expiresAfterMs }: AlwaysFlags,
  ask: ApprovalAskView,
): z.input<typeof Always> {
  const most = wholeNumber('--uses', uses);
  const expires = wholeNumber('--expires-after-ms', expiresAfterMs);
  return {
    ...(scope && { scope }),
    ...(match && { matches: matchesOf(match, ask) }),
    ...(most !== undefined && { uses: most }),
    ...(expires !== undefined && { expires_after_ms: expires }),
  };
}

function matchesOf(patterns: readonly string[], { request: { input } }: ApprovalAskView): Record<string, string[]> {
  const command = ['command', 'cmd'].find((name) => input[name] !== undefined);
  if (command !== undefined) return { [command]: [...patterns] };
  const matches: Record<string, string[]> = {};
  for (const pattern of patterns) {
    const at = pattern.indexOf('=');
    if (at < 1) throw new Failure('usage', `--match takes argument=pattern for this tool, not "${pattern}"`);
    const name = pattern.slice(0, at);
    matches[name] = [...(matches[name] ?? []), pattern.slice(at + 1)];
  }
  return matches;
}
