// Names the Amp program, the version that the tests run, how to install it, and what they cannot show.
import type { Program } from '../agent.ts';

export const program: Program = {
  command: 'amp',
  tested: '0.0.1790142911-g7618fb',
  install: 'npm install -g @ampcode/cli',
  untested: 'its permission rules are tested, its turns are not: they need its cloud and an account',
};
