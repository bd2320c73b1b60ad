// Every agent of this build passes the conformance suite; agents that are programs, with a stand-in for the program.
import { agentConformance } from '../conformance/agent.ts';
import { plannedAgents } from './planned-fixture.ts';

for (const [title, fixture] of Object.entries(plannedAgents())) agentConformance(title, fixture);
