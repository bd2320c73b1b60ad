// Text of an agent as the server takes it: well-formed, without NUL, and not longer than a field may be. For words that
// describe an ask; what would run is never touched.
import { storable, truncate } from '../../core/text-limit.ts';

/** At most so many code units, and no character cut in two. */
export const fittingText = (text: string, most: number): string => truncate(storable(text), most);
