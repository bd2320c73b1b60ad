// `holdpoint complete`: the ids that a completion script offers, one on each line. Shells call it while a person types, so it is
// silent about everything: without a server there is nothing to offer.
import { Argument } from 'commander';
import type { Client } from '../../client/client.ts';
import { CHOSEN_ID } from '../../core/id.ts';
import { Command } from '../command.ts';
import type { ServerFlags } from '../command-flags.ts';
import { print } from '../output.ts';
import { connect } from '../server-connection.ts';
import { line } from '../text/spans.ts';

const MOST = 100;
const page = { limit: MOST };

/** The newest where there are many. */
const IDS: Record<string, (client: Client) => Promise<string[]>> = {
  questions: ({ asks }) => pending(asks, 'question'),
  approvals: ({ asks }) => pending(asks, 'approval'),
  sessions: async ({ sessions }) =>
    (await sessions.list({ ...page, status: 'active', order: 'newest' })).items.map((one) => one.session_id),
  runs: async ({ runs }) => (await runs.list({ ...page, order: 'newest' })).items.map((one) => one.run_id),
  tokens: async ({ tokens }) => (await tokens.list(page)).items.map((one) => one.token_id),
  grants: async ({ grants }) => (await grants.list(page)).items.map((one) => one.grant_id),
};

const pending = async (asks: Client['asks'], kind: 'question' | 'approval'): Promise<string[]> =>
  (await asks.list({ ...page, kind, status: 'pending' })).items.map((one) => one.ask_id);

export function completeCommand(): Command {
  return new Command('complete', 'ids for a completion script')
    .addArgument(new Argument('<what>', 'what they name').choices(Object.keys(IDS)))
    .withServer()
    .withExamples('holdpoint complete questions')
    .action(async (what: string, flags: ServerFlags) => {
      const ids = await connect({ ...flags, retryForMs: '0' })
        .then((client) => IDS[what]?.(client))
        .catch(() => []);
      // A shell expands the words that it is offered: nothing but the characters of ids may reach it.
      print(...(ids ?? []).filter((id) => CHOSEN_ID.test(id)).map((id) => line(id)));
    });
}
