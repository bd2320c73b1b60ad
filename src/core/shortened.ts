// A text that is longer than anybody reads: its beginning and its end, and between them how much was left out.

/** Of what an agent says at once; however it is written, the server takes so much. */
export const SAID_CHARACTERS = 150_000;

/** At most about so many code units, and no character cut in two. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, '');
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, '');
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}
