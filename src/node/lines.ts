// Splits a stream of text into lines at line feeds only. Node's readline also ends a line at U+2028 and U+2029, which JSON
// leaves unescaped in strings: it would tear such a message in two.

/**
 * Calls `onLine` with every line, the last one also where the stream ends without a line feed, and `onUnfinished` with the
 * length of one that has not ended.
 */
export function splitLines(
  stream: NodeJS.ReadableStream | null,
  onLine: (line: string) => void,
  onUnfinished?: (length: number) => void,
): void {
  let open: string[] = [];
  let length = 0;
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    const [first = '', ...rest] = chunk.split('\n');
    open.push(first);
    length += first.length;
    onUnfinished?.(length);
    for (const next of rest) {
      onLine(open.join(''));
      open = [next];
      length = next.length;
    }
  });
  stream?.on('end', () => {
    if (length > 0) onLine(open.join(''));
  });
}

/** The lines of a stream that ends, with the last one also where it has no line feed. */
export async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string> {
  stream.setEncoding('utf8');
  let open: string[] = [];
  for await (const chunk of stream) {
    const [first = '', ...rest] = String(chunk).split('\n');
    open.push(first);
    for (const next of rest) {
      yield open.join('');
      open = [next];
    }
  }
  const last = open.join('');
  if (last !== '') yield last;
}
