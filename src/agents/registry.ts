// The agents this build knows. Adding one is a file and a line here.
import type { Agent } from './agent.ts';
import { claude } from './claude/run.ts';
import { codex } from './codex/run.ts';
import { exec } from './exec/run.ts';
import { mock } from './mock/input.ts';

export const agents: readonly Agent[] = [claude, codex, exec, mock];
