// `holdpoint mcp`: serves the MCP tools over standard input and output, for an agent that starts its MCP servers itself.
// Standard output belongs to the protocol; notes for a person go to standard error.
import { basename, join } from 'node:path';
import { type AgentSession, httpBackend, openAgentSession } from '../../client/agent-session.ts';
import { type Client, createClient } from '../../client/client.ts';
import { serverUrl, stateFolder } from '../../client/local.ts';
import { Command } from '../command.ts';
import type { AddressFlags } from '../command-flags.ts';
import { type SessionRecord, takeRecord } from '../mcp-session-record.ts';
import { note } from '../output.ts';
import { addressOf, probe, tokenOf } from '../server-connection.ts';
import { interruptible } from '../signals.ts';
import { version } from '../version.ts';

interface McpFlags extends AddressFlags {
  sessionId?: string;
}

export function mcpCommand(): Command {
  return new Command('mcp', 'MCP tools that let an agent ask a person')
    .withAddress("file with the agent's token (HOLDPOINT_TOKEN); without one, a session is created for this agent")
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
    const { serveTools } = await import('../../boot/tools.ts');
    let opened: Promise<OpenSession> | undefined;
    const backendFor = async (clientName: string) => {
      opened ??= openFor(client, flags.sessionId, clientName);
      return httpBackend((await opened).session);
    };
    const tools = serveTools(backendFor, version, (error) => note(error.message));
    await closed;
    const closedAt = Date.now();
    setTimeout(() => process.exit(0), LONGEST_CLOSE_MS).unref();
    await tools.close();
    await opened?.then((open) => leave(open, closedAt)).catch((error: Error) => note(error.message));
    process.exit(0);
  });
}

interface OpenSession {
  session: AgentSession;
  record: SessionRecord | undefined;
}

/** The session that a program of the same client left open in this folder; else a new one. */
async function openFor(client: Client, sessionId: string | undefined, clientName: string): Promise<OpenSession> {
  const workFolder = process.cwd();
  const record = sessionId === undefined ? recordFor([client.http.url, workFolder, clientName]) : undefined;
  const title = basename(workFolder) || 'mcp';
  const session = await openAgentSession(client, { sessionId, earlierId: record?.sessionId, title, workFolder });
  record?.keep(session.sessionId);
  note(`asking in session ${session.sessionId}`);
  return { session, record };
}

function recordFor(of: readonly string[]): SessionRecord | undefined {
  try {
    return takeRecord(join(stateFolder(process.env), 'mcp'), of);
  } catch (error) {
    note(`What is open when this program leaves cannot be found again: ${(error as Error).message}`);
    return undefined;
  }
}

async function leave({ session, record }: OpenSession, at: number): Promise<void> {
  if (await session.leave(at)) record?.drop();
}

/** Until the agent closes its end, or a signal ends this process. */
const untilClosed = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const close = () => resolve();
    process.stdin.once('close', close);
    process.stdin.once('end', close);
    signal.addEventListener('abort', close, { once: true });
  });
