// The real agents that speak ACP against the scripted model: what their tests need besides the beds of the same agents.
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { claudeAcp, gemini, qwen } from './binaries.ts';

/** An environment in whose PATH a script of Node is a command, run by the Node of these tests. */
function withCommand(root: string, env: Record<string, string>, command: string, script: string | undefined) {
  const bin = join(root, 'bin');
  mkdirSync(bin, { recursive: true });
  const text = `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`;
  writeFileSync(join(bin, command), text, { mode: 0o755 });
  return { ...env, PATH: [bin, env.PATH ?? process.env.PATH].join(delimiter) };
}

/** The environment of Claude Code, with its adapter. */
export const withClaudeAcp = (root: string, env: Record<string, string>): Record<string, string> => ({
  ...withCommand(root, env, 'claude-agent-acp', claudeAcp),
  // A sandbox that the machine claims to be would have the adapter ask for a mode that Claude Code refuses to root.
  IS_SANDBOX: '',
});

export function geminiEnvironment(root: string, modelUrl: string): Record<string, string> {
  const HOME = settingsAt(root, '.gemini', {
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
    general: { disableAutoUpdate: true, enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  });
  return {
    ...withCommand(root, { HOME }, 'gemini', gemini),
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_API_KEY: 'not-a-key',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    // Otherwise it has a model choose the model.
    GEMINI_MODEL: 'gemini-2.5-flash',
  };
}

export function qwenEnvironment(root: string, modelUrl: string): Record<string, string> {
  const HOME = settingsAt(root, '.qwen', {
    security: { auth: { selectedType: 'openai' } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
  });
  return {
    ...withCommand(root, { HOME }, 'qwen', qwen),
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_API_KEY: 'not-a-key',
    OPENAI_MODEL: 'fake-1',
  };
}

/** The home folder of an agent with these settings of its own. */
function settingsAt(root: string, folder: string, settings: object): string {
  const home = join(root, 'home');
  mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, folder, 'settings.json'), JSON.stringify(settings));
  return home;
}
