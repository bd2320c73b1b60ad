// Lists rules with their sources, and says which of them would decide a call.
import { z } from 'zod';
import { RuleSuggestionsView } from '../../core/rule-suggestion.ts';
import { RuleListView, RuleTest, RuleTestView } from '../../core/rule-views.ts';
import { READERS } from '../auth.ts';
import { countOf, digits, linkPage, PageQuery, pageOf, SpanQuery } from '../request.ts';
import type { AddRoutes } from './route.ts';

export const addRules: AddRoutes = ({ route, gateway }) => {
  route('rules', 'GET /v1/rules', {
    name: 'listRules',
    summary: 'List rules in the order in which they are tried, with their sources',
    description: 'Rules of projects are read where their agents run, and are not listed.',
    scopes: READERS,
    query: PageQuery.extend({ session_id: z.string().optional().describe('With the rules of this session') }),
    reply: RuleListView,
    async handle({ request, reply, query }) {
      const { next, ...view } = await gateway.listRules(query.session_id, pageOf(query));
      linkPage(request, reply, next);
      return view;
    },
  });

  route('rules', 'POST /v1/rules/test', {
    name: 'testRules',
    summary: 'Which rules and grants would decide a call, part by part, and why',
    description: 'Decides nothing and stores nothing. A delegate is not consulted.',
    scopes: READERS,
    body: RuleTest,
    examples: { command: { tool_name: 'Bash', input: { command: 'git push' } } },
    refuses: ['session_not_found'],
    reply: RuleTestView,
    handle: ({ body }) => gateway.testRules(body),
  });

  route('rules', 'GET /v1/rules/suggestions', {
    name: 'suggestRules',
    summary: 'Rules for calls that people always allowed, each with what it would have allowed',
    description:
      'Changes nothing: a person adds a rule. Nothing that has a sign of risk, or was ever denied, is suggested.',
    scopes: READERS,
    query: SpanQuery.extend({ at_least: digits('How often it was allowed, at the least; 10 by default') }),
    reply: RuleSuggestionsView,
    handle: ({ query: { from, to, at_least } }) =>
      gateway.suggestRules({ from: countOf(from), to: countOf(to), atLeast: countOf(at_least) }),
  });
};
