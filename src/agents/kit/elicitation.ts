// Translates an MCP elicitation into an ask, for any agent that passes one on: a form becomes a question set; a page to
// visit, or a form without fields, becomes an approval. Pure. What cannot be displayed whole becomes no ask.
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

/** Undefined: there is nothing that a person could decide or fill in, or it cannot be displayed whole. */
export function askOfElicitation(elicited: Elicited): Consent | FilledIn | undefined {
  if (elicited.mode === 'url') return elicited.url ? consent(elicited) : undefined;
  const form = readForm(elicited.requestedSchema);
  if (!form) return undefined;
  if (Object.keys(form.properties).length === 0) return consent(elicited);
  const context = storable(`${elicited.serverName}: ${elicited.message ?? ''}`.trim());
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

/** The context for asking again after an answer that could not be used. */
export const contextWith = ({ context }: Pick<AskSpec, 'context'>, reason: string): string =>
  [context, reason].filter(Boolean).join('\n\n');
