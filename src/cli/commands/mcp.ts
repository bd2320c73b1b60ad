// `holdpoint mcp`: serves the MCP tools over standard input and output, for an agent that starts its MCP servers itself.
// Standard output belongs to the protocol; notes for a person go to standard error.
import { basename } from 'node:path';
import { httpBackend, openAgentSession } from '../../client/agent-session.ts';
import { createClient } from '../../client/client.ts';
import { serverUrl } from '../../client/local.ts';
import { Command } from '../command.ts';
import type { AddressFlags } from '../command-flags.ts';
import { note } from '../output.ts';
import { addressOf, probe, tokenOf } from '../server-connection.ts';
import { interruptible } from '../signals.ts';
import { version } from '../version.ts';

interface McpFlags extends AddressFlags {
  sessionId?: string;
}

export function mcpCommand(): Command {
  return new Command('mcp', 'MCP tools with which an agent asks a person')
    .withAddress("the agent's token (HOLDPOINT_TOKEN); without one, a session is created for this agent")
    .option('--session-id <id>', 'the session to ask in; the same id again is the same session')
    .withExamples('holdpoint mcp', 'holdpoint mcp --session-id nightly')
    .action(serve);
}

const LONGEST_CLOSE_MS = 5000;

function serve(flags: McpFlags): Promise<void> {
  return interruptible('stopped', async ({ signal, or }) => {
    const closed = untilClosed(signal);
    const url = addressOf(flags.url ?? serverUrl(process.env));
    await or(probe(url));
    const client = createClient({ url, token: tokenOf(flags, process.env), surface: 'mcp' });
    const title = basename(process.cwd()) || 'mcp';
    const session = await openAgentSession(client, { sessionId: flags.sessionId, title, workFolder: process.cwd() });
    note(`asking in session ${session.sessionId}`);
    const { serveTools } = await import('../../boot/tools.ts');
    const tools = serveTools(httpBackend(session), version, (error) => note(error.message));
    await closed;
    setTimeout(() => process.exit(0), LONGEST_CLOSE_MS).unref();
    await tools.close();
    await session.leave().catch((error: Error) => note(error.message));
    process.exit(0);
  });
}

/** Until the agent closes its end, or a signal ends this process. */
const untilClosed = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const close = () => resolve();
    process.stdin.once('close', close);
    process.stdin.once('end', close);
    signal.addEventListener('abort', close, { once: true });
  });
