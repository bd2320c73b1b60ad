// The agents this build knows. Adding one is a file and a line here.
import type { Agent } from './agent.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { exec } from './exec.ts';
import { mock } from './mock.ts';

export const agents: readonly Agent[] = [claude, codex, exec, mock];
