// Orders prompts and output on one terminal: one prompt at a time, and output that arrives meanwhile is printed before the
// next prompt. Owns the order; the caller owns what is asked and printed.
import type { Line } from '../text/spans.ts';

/** Shows an ask and resolves when it has settled; undefined if there is nothing to wait for. */
type Prompt = () => Promise<void> | undefined;

export function createPromptQueue(print: (line: Line) => void) {
  const lines: Line[] = [];
  const prompts: Prompt[] = [];
  let open: Promise<void> | undefined;

  function advance(): void {
    while (!open) {
      for (const of of lines.splice(0)) print(of);
      const prompt = prompts.shift();
      if (!prompt) return;
      open = prompt()?.finally(() => {
        open = undefined;
        advance();
      });
    }
  }

  return {
    print(...more: Line[]): void {
      lines.push(...more);
      advance();
    },
    /** The prompt is shown when its turn comes, never while another one is open. */
    ask(prompt: Prompt): void {
      prompts.push(prompt);
      advance();
    },
    isAsking: () => open !== undefined,
    /** Resolves when no prompt is open and all output has been printed. */
    async drained(): Promise<void> {
      while (open) await open;
    },
  };
}
