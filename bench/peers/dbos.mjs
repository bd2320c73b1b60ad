// DBOS on PostgreSQL: a workflow for each ask, which receives its answer as a message. Argument: the database's address.
import { randomUUID } from 'node:crypto';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { resumed, serve } from './front.mjs';

const HOUR_SECONDS = 3600;

const asking = DBOS.registerWorkflow(
  async (_body) => {
    const answer = await DBOS.recv('answer', HOUR_SECONDS);
    resumed(DBOS.workflowID);
    return answer;
  },
  { name: 'ask' },
);
DBOS.setConfig({ name: 'bench', systemDatabaseUrl: process.argv[2], systemDatabasePoolSize: 20, logLevel: 'error' });
await DBOS.launch();
serve({
  async ask(body) {
    const { workflowID } = await DBOS.startWorkflow(asking, { workflowID: randomUUID() })(body);
    return workflowID;
  },
  answer: (id, body) => DBOS.send(id, body, 'answer'),
});
process.once('SIGTERM', () => process.exit(0));
