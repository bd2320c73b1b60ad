// A subtask displays at most one form: the key says so, whoever asks at the same moment.

export const formSchema = (): string[] => [
  `CREATE TABLE forms (
    session_id TEXT NOT NULL, subtask_id TEXT NOT NULL, ask_id TEXT NOT NULL, PRIMARY KEY (session_id, subtask_id))`,
];
