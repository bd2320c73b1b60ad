// What an MCP server asks of the person by an elicitation, as the ask that it is, whichever agent passes it on: a form is
// a question set, a page to visit or a form without fields is an approval. Pure. What cannot be shown is no ask.
import type { ApproveSpec, AskSpec } from '../../client/spec.ts';
import { storable } from '../../core/text-limit.ts';
import { type Form, questionsOfForm, readForm } from '../wire/elicitation-form.ts';

export interface Elicited {
  serverName: string;
  message?: string | null | undefined;
  mode?: string | null | undefined;
  url?: string | null | undefined;
  requestedSchema?: unknown;
}

export type Consent = { kind: 'approval'; spec: ApproveSpec };
export type FilledIn = { kind: 'question'; spec: AskSpec; form: Form };

const CONTEXT_CHARACTERS = 10_000;

/** Undefined: there is nothing that a person could decide upon or fill in, or it cannot be shown whole. */
export function askOfElicitation(asked: Elicited): Consent | FilledIn | undefined {
  if (asked.mode === 'url') return asked.url ? consent(asked) : undefined;
  const form = readForm(asked.requestedSchema);
  if (!form) return undefined;
  if (Object.keys(form.properties).length === 0) return consent(asked);
  const context = storable(`${asked.serverName}: ${asked.message ?? ''}`.trim());
  // Nobody accepts the end of a text that they were not shown.
  if (context.length > CONTEXT_CHARACTERS) return undefined;
  return { kind: 'question', form, spec: { questions: questionsOfForm(form), context } };
}

function consent({ serverName, message, url }: Elicited): Consent {
  return {
    kind: 'approval',
    spec: {
      tool_name: `mcp__${serverName}`,
      input: { ...(message && { message }), ...(url && { url }) },
      reason: url ? `The MCP server ${serverName} asks you to open a page.` : `The MCP server ${serverName} asks.`,
    },
  };
}
