// Says what a search of the history looks at in an ended ask. The query language is in ask-query.ts.

import { summarise } from './answer.ts';
import type { EndedAsk } from './ask.ts';
import { askedTexts, type Searched, searchText, textsIn } from './ask-query.ts';
import type { Session } from './session.ts';

type Place = Pick<Session, 'id' | 'agent' | 'agentId' | 'title' | 'workFolder' | 'projectIds'>;

export function searchedAsk(ask: EndedAsk, place: Place, risks: Searched['risks']): Searched {
  const { answer } = ask;
  // Derived from the session's id by default.
  const agentId = place.agentId.endsWith(place.id) ? undefined : place.agentId;
  return {
    askId: ask.id,
    sessionId: place.id,
    title: place.title,
    agents: [place.agent, agentId],
    tool: ask.kind === 'approval' ? ask.content.tool_name : undefined,
    projects: place.projectIds,
    people: [answer.answered_by],
    risks,
    // An ask that ended with its run is denied to its agent as well, and is no denial.
    states: [ask.kind, ask.status, 'settled', ...((ask.status === 'answered' && STATES[answer.behavior ?? '']) || [])],
    createdAt: ask.createdAt,
    text: () =>
      searchText([
        ...askedTexts(ask.content),
        ask.kind === 'question' ? summarise(ask.content.questions, answer.answers ?? []) : undefined,
        ...textsIn(answer.updated_input),
        answer.behavior,
        answer.justification,
        answer.reason,
        answer.answered_by,
        ask.status,
        place.title,
        place.agent,
        agentId,
        place.workFolder,
        ...place.projectIds,
      ]),
  };
}

const STATES: Record<string, string[]> = { allow: ['allowed'], deny: ['denied'] };
