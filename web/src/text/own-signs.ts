// Finds what a person should notice about a request that the assessment of its action (core/risk.ts) does not say: that it
// runs in another folder than its session, was asked before a file changed, contains hidden characters, or asks for a
// secret. Pure.
import { HAS_HIDDEN } from '../../../src/core/hidden-characters.ts';
import type { RiskSign } from '../../../src/core/risk.ts';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { askedAgainWhy, isAskedAgain } from '../state/asked-again.ts';
import { hiddenCount, lookalikeCount } from './visible.ts';

const HIDDEN = 'Hidden characters';

export interface OwnSign {
  label: string;
  /** Continues the label. May contain text of the agent. */
  why: string;
}

const SECRET = {
  label: 'Asks for a secret',
  why: 'what you type is encrypted and only the agent can read it; the agent may use it, store it or pass it on',
};

/** As much of an input as is searched for hidden characters; the card marks all of them. */
const MAX_CHARACTERS = 20_000;

export function ownSigns(ask: AskView, session: Pick<SessionView, 'work_folder'> | undefined): OwnSign[] {
  if (ask.kind === 'question') return ask.request.questions.some(({ secret }) => secret) ? [SECRET] : [];
  const { input, work_folder: folder } = ask.request;
  const own = session?.work_folder;
  const isElsewhere =
    folder !== undefined && own !== undefined && folder !== own && !folder.startsWith(`${own === '/' ? '' : own}/`);
  const text = Object.values(input)
    .filter((value) => typeof value === 'string')
    .join('\n')
    .slice(0, MAX_CHARACTERS);
  const hidden = hiddenCount(text) + lookalikeCount(text);
  return [
    ...(isElsewhere ? [{ label: 'Outside the folder', why: `runs in ${folder}, not in the session’s folder` }] : []),
    ...(isAskedAgain(ask.request)
      ? [
          {
            label: 'Asked again',
            why: `${askedAgainWhy(ask.request).why} What has changed is shown below`,
          },
        ]
      : []),
    ...(hidden > 0 ? [{ label: HIDDEN, why: hiddenWhy(hidden) }] : []),
  ];
}

const hiddenWhy = (count: number): string =>
  count === 1
    ? 'one character is invisible or looks like another. It is marked above'
    : `${count} characters are invisible or look like others. They are marked above`;

/** The signs of the action that are shown besides: not the deadline, which is a countdown, and nothing twice. */
export const furtherSigns = (signs: readonly RiskSign[], own: readonly OwnSign[]): RiskSign[] =>
  signs.filter(({ risk, why }) => risk !== 'deadline' && (why !== HAS_HIDDEN || own.every((o) => o.label !== HIDDEN)));
