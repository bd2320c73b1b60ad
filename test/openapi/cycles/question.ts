// What every cycle asks, of which server, and how it reports what came back.
declare const process: { argv: string[] };

export const [url = '', token = ''] = process.argv.slice(2);

export const question = {
  kind: 'question' as const,
  tool_call_id: 'call_1',
  questions: [
    {
      id: 'target',
      question: 'Where?',
      options: [
        { id: 'staging', label: 'Staging' },
        { id: 'production', label: 'Production' },
      ],
    },
  ],
};

export const report = (...found: (string | undefined)[]): void => console.log(JSON.stringify(found));
