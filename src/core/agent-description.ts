// Describes an agent to people and programs that choose one: its name, what a run of it takes, and the settings that can
// be chosen up front. Data only: `GET /v1/agents` returns it, the page draws its form from it. Knows no agent.
import { z } from 'zod';

const input = z.record(z.string(), z.unknown());

const Choice = z.object({
  value: z.string().describe('As the agent itself calls it; empty where nothing is said'),
  label: z.string(),
  means: z.string(),
  is_open: z.literal(true).optional().describe('No person is asked, or nothing is forbidden'),
  input: input.describe('What this choice adds to the input of a run'),
  replaces: z.array(z.string()).optional().describe('Settings that are neither shown nor sent with this choice'),
});

export const Setting = z.object({
  name: z.string(),
  label: z.string(),
  choices: z.array(Choice).min(1).describe('The first is what the agent does when nothing is said'),
});
export type Setting = z.infer<typeof Setting>;

export const AgentDescription = z.object({
  name: z.string(),
  title: z.string().describe('As people call it'),
  takes: z.enum(['text', 'command']).describe('Whether its task is words for the agent or a shell command'),
  demo: z.object({ title: z.string(), input }).optional().describe('A run that needs nothing installed'),
  settings: z.array(Setting),
  reads_comments: z
    .array(z.enum(['managed', 'attached']))
    .optional()
    .describe('Where it can reply to a comment while it waits; `takes_comments` of an ask says whether that one can'),
});
export type AgentDescription = Readonly<z.infer<typeof AgentDescription>>;
