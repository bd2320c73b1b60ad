// The calls that most gateway tests begin with, straight into a gateway instead of over HTTP: sessions, runs, asks and
// answers, each for the gateway a test has open.
import type { AskMode } from '../../src/core/ask.ts';
import { type OpenGateway, person } from './gateway.ts';

export const agent = person('agent');
export const lead = person('lead');

export const COLOUR = [
  {
    id: 'colour',
    question: 'Which colour?',
    options: [
      { id: 'red', label: 'Red' },
      { id: 'blue', label: 'Blue' },
    ],
  },
];
const RED = { answers: [{ question_id: 'colour', selected_option_ids: ['red'] }] };

export function gatewayCalls(open: () => OpenGateway) {
  return {
    session: (id: string, name = 'external', parent?: string) =>
      open().gateway.createSession({ session_id: id, agent: name, ...(parent && { parent_session_id: parent }) }),
    start: async (sessionId: string) =>
      (await open().gateway.startRun({ sessionId, body: { input: {} }, actor: agent })).view.run_id,
    askFor: async (runId: string, mode: AskMode, more = {}) => {
      const body = { kind: 'question' as const, tool_call_id: mode, mode, questions: COLOUR, ...more };
      return (await open().gateway.raiseAsk({ runId, body, actor: agent })).view.ask_id;
    },
    approvalFor: async (runId: string, more = {}) => {
      const body = { kind: 'approval' as const, tool_call_id: 'approval', tool_name: 'Bash', input: {}, ...more };
      return (await open().gateway.raiseAsk({ runId, body, actor: agent })).view.ask_id;
    },
    answer: async (runId: string, request_id: string) =>
      (await open().gateway.answerForRun({ runId, resolution: { request_id, ...RED }, actor: lead })).view,
    allow: async (runId: string, request_id: string) =>
      (await open().gateway.approveForRun({ runId, resolutions: [{ request_id, behavior: 'allow' }], actor: lead }))
        .view,
    deliveryOf: async (askId: string) => (await open().gateway.showAsk(askId, agent)).delivery,
  };
}
