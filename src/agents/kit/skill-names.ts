// How the input of a run names the published skills it wants: the same for every agent.
import { z } from 'zod';

/** Each as `name` or `namespace/name`. */
export const SkillNames = z.array(z.string().min(1).max(200)).max(20);
