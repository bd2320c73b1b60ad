// Writes the answer to an expired question as the task of a new run. Pure.

interface Asked {
  question: string;
}

export function lateAnswerText(questions: readonly Asked[], answer: string): string {
  const asked = questions.map(({ question }) => `“${question}”`).join('\n');
  return `You asked:\n${asked}\n\nThat expired before it was answered. The answer is:\n${answer}\n\nGo on with it.`;
}
