// The Gemini wire of the scripted model, as much of it as Gemini CLI needs.
import type { Front, Said } from './model.ts';

const GENERATE = /^\/v1beta\/models\/[^/]+:(?:streamGenerateContent|generateContent)$/;

export const gemini: Front = {
  takes: (method, path) => method === 'POST' && GENERATE.test(path),
  // Gemini CLI also has the model choose among models and summarise, and gives it no functions then.
  isAside: ({ tools }) => !JSON.stringify(tools ?? '').includes('functionDeclarations'),
  reply(response, _, said, __, path) {
    const parts = said.map(partOf);
    const candidate = { content: { role: 'model', parts }, finishReason: 'STOP', index: 0 };
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const body = JSON.stringify({ candidates: [candidate], usageMetadata, modelVersion: 'fake' });
    const isStream = path.endsWith(':streamGenerateContent');
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? `data: ${body}\n\n` : body);
  },
};

const partOf = (block: Said): object =>
  'text' in block ? block : { functionCall: { id: block.id, name: block.tool, args: block.input } };
