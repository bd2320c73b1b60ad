// `holdpoint mcp`: the tools for an agent that starts its MCP servers itself and speaks with them over standard input
// and output. That is the protocol's; whatever there is to say to a person goes to standard error.
import { basename } from 'node:path';
import { Command } from 'commander';
import { createClient } from '../../client/client.ts';
import { createDesk, takeSeat } from '../../client/desk.ts';
import { serverUrl } from '../../client/local.ts';
import { withExamples } from '../help-examples.ts';
import { addressOf, note, probe, tokenOf } from '../server-connection.ts';
import { onLeave } from '../signals.ts';
import { version } from '../version.ts';

interface McpFlags {
  url?: string;
  token?: string;
  sessionId?: string;
}

const LONGEST_LEAVE_MS = 5000;

export function mcpCommand(): Command {
  const command = new Command('mcp')
    .description('tools to ask a person with, for an agent that speaks MCP')
    .option('--url <address>', 'the server (HOLDPOINT_URL, http://127.0.0.1:4777)')
    .option('--token <secret>', "the agent's token (HOLDPOINT_TOKEN); without one a session is made for this agent")
    .option('--session-id <id>', 'the session to ask in; the same name again is the same session');
  withExamples(command, 'holdpoint mcp', 'holdpoint mcp --session-id nightly');
  return command.action(serve);
}

async function serve(flags: McpFlags): Promise<void> {
  const url = addressOf(flags.url ?? serverUrl(process.env));
  await probe(url);
  const client = createClient({ url, token: tokenOf(flags, process.env), surface: 'mcp' });
  const title = basename(process.cwd()) || 'mcp';
  const seat = await takeSeat(client, { sessionId: flags.sessionId, title, workFolder: process.cwd() });
  note(`asking in session ${seat.sessionId}`);
  const { serveTools } = await import('../../boot/tools.ts');
  const tools = serveTools(createDesk(seat), version, (error) => note(error.message));
  await gone();
  setTimeout(() => process.exit(0), LONGEST_LEAVE_MS).unref();
  await tools.close();
  await seat.leave().catch((error: Error) => note(error.message));
  process.exit(0);
}

/** The agent closed its end, or somebody ended this program. */
const gone = (): Promise<void> =>
  new Promise((resolve) => {
    process.stdin.once('close', resolve);
    process.stdin.once('end', resolve);
    onLeave(resolve);
  });
