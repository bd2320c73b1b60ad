// Calls that the scripted model makes in several suites of Codex.

const question = (id: string, header: string, options: Record<string, string>) => ({
  id,
  header,
  question: `Which ${header.toLowerCase()}?`,
  options: Object.entries(options).map(([label, description]) => ({ label, description })),
});
export const DATABASE = question('db', 'Database', { 'Postgres (Recommended)': 'Robust', SQLite: 'Small' });
export const NAME = question('name', 'Name', { Alpha: 'a', Beta: 'b' });

export const requestsInput = (...questions: object[]) => ({
  call: 'request_user_input',
  id: 'call_Q',
  input: { questions },
});
