// The attacks of the resource fuzz run: what one hostile token of each kind sends, to make others wait or the server grow.
import { skillZip } from '../support/skill-zips.ts';

interface Answered {
  status: number;
  text: string;
}

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  options?: { headers?: Record<string, string>; unread?: boolean },
) => Promise<Answered>;

export interface Attack {
  kind: string;
  names: string[];
  /** How many loops run at once. */
  width: number;
  step(): Promise<Answered>;
}

const MEGABYTE = 'x'.repeat(1_000_000);
const SLOW_LINE = 'a "'.repeat(20_000);
const json = <T>({ status, text }: Answered): T => {
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return JSON.parse(text) as T;
};

export async function attacks(operator: Call, callAs: (token: string) => Call): Promise<Attack[]> {
  let count = 0;
  const tokenOf = async (scope: string, more: object = {}) =>
    json<{ token: string }>(await operator('POST', '/v1/tokens', { scope, ...more })).token;
  const pick = (kind: string, width: number, tries: Record<string, () => Promise<Answered>>): Attack => {
    const names = Object.keys(tries);
    const step = () => (tries[names[Math.floor(Math.random() * names.length)] ?? ''] as () => Promise<Answered>)();
    return { kind, names, width, step };
  };
  const open = async () => {
    const { session_id } = json<{ session_id: string }>(await operator('POST', '/v1/sessions', { agent: 'external' }));
    const path = `/v1/sessions/${session_id}/runs`;
    const { run_id } = json<{ run_id: string }>(await operator('POST', path, { input: { text: 'go' } }));
    return { sessionId: session_id, runId: run_id };
  };

  const own = await open();
  const agent = callAs(await tokenOf('agent', { session_id: own.sessionId }));
  const stream = { headers: { accept: 'text/event-stream' }, unread: true };
  const approval = (input: object) => ({ kind: 'approval', tool_call_id: `call-${++count}`, tool_name: 'Bash', input });
  const patterns = Array.from({ length: 900 }, (_, n) => `*a*b${n}`);
  const rules = [{ tool: 'Bash', matches: { command: patterns }, action: 'ask' }];
  const deep = `${'['.repeat(60)}${']'.repeat(60)}`;
  const byAgent = pick('agent', 24, {
    'large ask': () => agent('POST', `/v1/runs/${own.runId}/asks`, approval({ command: MEGABYTE })),
    'small ask': () => agent('POST', `/v1/runs/${own.runId}/asks`, approval({ command: 'ls' })),
    'many rules': () =>
      agent('POST', `/v1/runs/${own.runId}/asks`, {
        ...approval({ command: 'a;'.repeat(1000) }),
        project_rules: rules,
      }),
    'slow line': () => agent('POST', `/v1/runs/${own.runId}/asks`, approval({ command: SLOW_LINE })),
    'large output': () => agent('POST', `/v1/runs/${own.runId}/output`, { data: { blob: MEGABYTE } }),
    'keyed byte': () =>
      agent('POST', `/v1/runs/${own.runId}/output`, { text: '.' }, { headers: { 'idempotency-key': `k${++count}` } }),
    'unread reply': () => agent('GET', '/v1/events?limit=500', undefined, { unread: true }),
    'unread stream': () => agent('GET', '/v1/events?after=0', undefined, stream),
    'many values': () => agent('POST', `/v1/runs/${own.runId}/output`, `{"data":{"a":[${'[],'.repeat(300_000)}0]}}`),
    'deep values': () => agent('POST', `/v1/runs/${own.runId}/output`, `{"data":{"a":[${`${deep},`.repeat(8000)}0]}}`),
    'queued run': () => agent('POST', `/v1/sessions/${own.sessionId}/runs`, { input: { text: 'y'.repeat(400_000) } }),
    lists: () => agent('GET', '/v1/asks?limit=500'),
    run: () => agent('GET', `/v1/runs/${own.runId}`),
    thread: () => agent('GET', `/v1/threads/thr_${own.sessionId}/items?limit=500`),
    withdraw: async () => {
      const { text } = await agent('GET', '/v1/asks?status=pending&limit=1');
      const id = /"ask_id":"([^"]+)"/.exec(text)?.[1];
      return agent('POST', `/v1/asks/${id}/withdraw`, {});
    },
  });

  const viewer = callAs(await tokenOf('viewer'));
  const byViewer = pick('viewer', 24, {
    search: () => viewer('GET', `/v1/asks?q=${'a b c d e f g h'.replaceAll(' ', '+')}`),
    'search of other letters': () => viewer('GET', `/v1/asks?q=${encodeURIComponent('ö ü ß é')}`),
    insights: () => viewer('GET', '/v1/insights'),
    'rule test': () => viewer('POST', '/v1/rules/test', { tool_name: 'Bash', input: { command: SLOW_LINE } }),
    'all events': () => viewer('GET', '/v1/events?limit=500'),
    'unread stream': () => viewer('GET', '/v1/events?after=0', undefined, stream),
    sessions: () => viewer('GET', '/v1/sessions?limit=500'),
    snapshot: () => viewer('GET', '/v1/events?snapshot=true', undefined, stream),
  });

  const worker = callAs(await tokenOf('worker'));
  const byWorker = pick('worker', 24, {
    claim: () =>
      worker('POST', '/v1/workers/claim', { worker_id: `w${++count}`, agents: [{ name: 'x', recovery: 'none' }] }),
    'large claim': () => worker('POST', '/v1/workers/claim', `{"a":"${MEGABYTE}"}`),
    'waiting claim': () =>
      worker(
        'POST',
        '/v1/workers/claim',
        { worker_id: `w${++count}`, wait_ms: 60_000, agents: [{ name: 'x', recovery: 'none' }] },
        { unread: true },
      ),
    asks: () => worker('GET', '/v1/asks?limit=500'),
    session: () => worker('GET', `/v1/sessions/${own.sessionId}`),
  });

  const attached = callAs(await tokenOf('attached'));
  const hook = (body: object | string) => attached('POST', '/v1/hooks/claude', body);
  const prompt = (text: string) => ({
    hook_event_name: 'UserPromptSubmit',
    session_id: `s${++count}`,
    cwd: '/',
    prompt: text,
  });
  const byAttached = pick('attached', 8, {
    prompt: () => hook(prompt('hello')),
    'large prompt': () => hook(prompt(MEGABYTE.repeat(20))),
    'many values': () => hook(`{"a":[${'[],'.repeat(4_000_000)}0]}`),
    permission: () => {
      const event = { hook_event_name: 'PermissionRequest', session_id: `s${++count}`, cwd: '/' };
      const asked = { tool_name: 'Bash', tool_input: { command: 'y'.repeat(200_000) }, tool_use_id: `t${count}` };
      return attached('POST', '/v1/hooks/claude', { ...event, ...asked }, { unread: true });
    },
  });

  const upload = await skillIdentity(operator, callAs);
  const bySkill = pick('skill identity', 4, {
    list: () => upload('GET', '/api/v1/kinds/skills'),
    publish: () => upload('POST', '/api/v1/kinds/skills/upload', ...zipBody(`skill-${++count}`)),
  });
  return [byAgent, byViewer, byWorker, byAttached, bySkill];
}

async function skillIdentity(operator: Call, callAs: (token: string) => Call): Promise<Call> {
  const { session_id } = json<{ session_id: string }>(await operator('POST', '/v1/sessions', { agent: 'mock' }));
  json(await operator('POST', `/v1/sessions/${session_id}/runs`, { input: { text: 'go' } }));
  const claim = { worker_id: 'w', agents: [{ name: 'mock', recovery: 'none' }], lease_ms: 600_000 };
  const { env } = json<{ env: Record<string, string> }>(await operator('POST', '/v1/workers/claim', claim));
  return callAs(String(env.WEGENT_SKILL_IDENTITY_TOKEN));
}

function zipBody(name: string): [body: Buffer, options: { headers: Record<string, string> }] {
  const zip = skillZip(name);
  const head = `--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n${name}\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="${name}.zip"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), Buffer.from(zip), Buffer.from('\r\n--b--\r\n')]);
  return [body, { headers: { 'content-type': 'multipart/form-data; boundary=b' } }];
}
