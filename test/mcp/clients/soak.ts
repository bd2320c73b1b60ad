// `npm run soak:mcp -- --cuts N --seed S`: MCP clients with their default settings ask a person, over both transports, at one
// and at two servers, and their calls are cut off at random moments before, during and after the answer. Every question
// must be asked once and answered once, with the answer that was given to it. Each client also waits for a person who takes
// ten minutes (`--late-ms`), in at most 15 model turns. Prints what happened; exits 1 otherwise.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../support/postgres.ts';
import { endEverything, startHoldpoint } from '../../support/process.ts';
import { randomOf } from '../../support/seeded-random.ts';
import { SHARED } from '../../support/shared-database.ts';
import { agentsOf, type Driver, type Tally, turnsUntilAnswer } from './agents.ts';
import { Person } from './person.ts';

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    only: { type: 'string' },
    'late-ms': { type: 'string', default: '600000' },
    'no-wait': { type: 'boolean' },
  },
});
const DRIVERS = ['sdk-1', 'sdk-2', 'ai-sdk', 'langchain'].filter((name) => name === (values.only ?? name));
const print = (line: string) => process.stdout.write(`${line}\n`);
print(`seed ${values.seed}`);

const drivers = await Promise.all(
  DRIVERS.map(
    async (name) => ({ name, ...((await import(`${import.meta.dirname}/drivers/${name}.mjs`)) as object) }) as Driver,
  ),
);
const postgres = await startPostgres();
const database = await postgres.database();
const shared = { ...SHARED, HOLDPOINT_DATABASE_URL: database.url, HOLDPOINT_LIMIT_AGENT_REQUESTS_PER_SECOND: '0' };
const start = (env: Record<string, string>) => startHoldpoint({ via: 'main', env, args: ['--no-worker'] });
const places = [
  { name: 'one server', servers: [await start({ ...SHARED, HOLDPOINT_LIMIT_AGENT_REQUESTS_PER_SECOND: '0' })] },
  { name: 'two servers', servers: await Promise.all([start(shared), start(shared)]) },
];

const random = randomOf(`soak/${values.seed}`);
const problems: string[] = [];
const tally: Tally = { questions: 0, cuts: 0, received: new Set() };
const people = places.map(
  ({ servers }) =>
    new Person(servers[0]?.url ?? '', SHARED.HOLDPOINT_TOKEN, random.fork('person'), Number(values['late-ms'])),
);
const cutsEach = Math.ceil(Number(values.cuts) / (places.length * drivers.length * 2));
const agents = places.flatMap(({ name, servers }) =>
  drivers.flatMap((driver) =>
    (['http', 'stdio'] as const).map((transport) => {
      const who = `${driver.name}, ${transport}, ${name}`;
      return agentsOf({ who, driver, transport, servers, random: random.fork(who), cuts: cutsEach, tally, problems });
    }),
  ),
);
const [server] = places[0]?.servers ?? [];
const waits =
  values['no-wait'] || !server
    ? []
    : drivers.flatMap((driver) =>
        (['http', 'stdio'] as const).map(async (transport) => {
          const who = `${driver.name}, ${transport}`;
          const turns = await turnsUntilAnswer({ who, driver, transport, server, problems, tally });
          print(`${who}: answered after ${values['late-ms']} ms in ${turns} turns`);
        }),
      );
await Promise.all(
  [...agents, ...waits].map((work) => work.catch((error: Error) => problems.push(String(error.stack)))),
);
for (const person of people) problems.push(...(await person.audit(tally.received)));
for (const person of people) person.stop();
await sleep(0);
await endEverything();
await postgres.stop();
print(`${tally.questions} questions, ${tally.cuts} calls cut off, ${problems.length} problems`);
for (const problem of problems) print(`- ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
