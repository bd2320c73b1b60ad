// Draws the icon for what a request is about: the tool is the icon, its content is the headline.
import { CircleQuestionMark, FilePen, FileText, Globe, ListChecks, SquareTerminal, Wrench } from 'lucide-react';
import type { ActionKind } from '../text/action-kind.ts';

const ICONS = {
  question: CircleQuestionMark,
  command: SquareTerminal,
  edit: FilePen,
  plan: ListChecks,
  read: FileText,
  web: Globe,
  tool: Wrench,
} as const satisfies Record<ActionKind, unknown>;

/** `label`: for screen readers, where no words beside it say the same. */
export function KindIcon({ kind, label, tone = '' }: { kind: ActionKind; label?: string; tone?: string }) {
  const Icon = ICONS[kind];
  const name = label === undefined ? { 'aria-hidden': true } : { 'aria-label': label };
  return <Icon className={`icon ${tone}`} {...name} />;
}
