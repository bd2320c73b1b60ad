// Adds the forms: the primary key allows a subtask one form, also under concurrent requests.

export const formSchema = (): string[] => [
  `CREATE TABLE forms (
    session_id TEXT NOT NULL, subtask_id TEXT NOT NULL, ask_id TEXT NOT NULL, PRIMARY KEY (session_id, subtask_id))`,
];
