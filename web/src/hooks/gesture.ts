// Guards every decision against accidents: a key that is held down, the second click of a double click, and a key or a
// click that was meant for the ask before the one on the screen. Whatever sends a decision asks here first; a click that
// began on another ask reaches nothing at all. Also knows when a key belongs to a text that the person is typing, though its
// field is gone: such a key is no shortcut.
import { type Focus, JUST_MOVED_MS, JUST_MOVED_TAP_MS } from '../state/keys.ts';
import { toast } from './toasts.ts';

/** After a key in a text field, the next one this soon belongs to the text as well. */
const TYPING_MS = 1000;
/** A pointer that moved less than this is where it was. */
const RESTING_PX = 24;

let movedAtMs = Number.NEGATIVE_INFINITY;
/** What is under the mouse changed without the mouse being moved: the page has moved. */
let shiftedAtMs = Number.NEGATIVE_INFINITY;
let pointer = { x: 0, y: 0 };
let pointerAtMove = pointer;
/** The last key or click repeats the one before it. */
let isRepeated = false;
/** It was meant for what is on the screen now: the mouse moved there, or the text in a field is confirmed. */
let isAimed = false;
/** It hit what the page has just moved under the mouse. */
let isShifted = false;
/** It was a finger, and on more than a link. */
let isTap = false;
/** The text field that the person has not left themselves: by Escape, Tab, a click, or a key that sends its text. */
let field: HTMLElement | undefined;
/** The field of a card that the person pressed beside: while it has text, what they type next is meant for it. */
let besideField: HTMLElement | undefined;
let typedAtMs = Number.NEGATIVE_INFINITY;
/** What the pointer was put on, until the click. */
let pressed: { askId: string | undefined; isMouse: boolean } | undefined;

/** The selected ask changed without the person: what they press in this moment was meant for the one before. */
export const movedByItself = (): void => {
  movedAtMs = performance.now();
  pointerAtMove = pointer;
};

export const hasJustMoved = (): boolean => performance.now() - movedAtMs < (isTap ? JUST_MOVED_TAP_MS : JUST_MOVED_MS);

/**
 * A key outside of text fields is part of a text: the field was taken away, was typed in a moment ago, or the person
 * pressed beside it and not on anything else to type in.
 */
export function isTypingOn(key = ''): boolean {
  if (key.length === 1 && key !== ' ' && isBegun(besideField)) return true;
  if (!field) return false;
  const isGone = !field.checkVisibility() || field.matches(':disabled');
  return isGone || performance.now() - typedAtMs < TYPING_MS;
}

const isBegun = (text: HTMLElement | undefined): boolean =>
  text instanceof HTMLTextAreaElement && text.value !== '' && !text.disabled && text.checkVisibility();

/** The person is in a text field of this ask. */
export const isTypedInto = (askId: string): boolean => askOf(field) === askId && field === document.activeElement;

const askOf = (target: EventTarget | null | undefined): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-ask]')?.dataset.ask : undefined;

/** Why the last key or click may not be meant for what is on the screen; undefined where it is. */
export function accident(): string | undefined {
  if (isShifted || (hasJustMoved() && !isAimed)) {
    // A finger that taps on and on decides nothing until it rests.
    if (isTap) movedByItself();
    return 'Not sent: the page just changed. Check, then decide again.';
  }
  return isRepeated ? 'Not sent: a held key or a double click does not decide.' : undefined;
}

export function listenToGestures(signal: AbortSignal): void {
  const listen = <K extends keyof DocumentEventMap>(type: K, then: (event: DocumentEventMap[K]) => void) =>
    document.addEventListener(type, then, { signal, capture: true, passive: true });
  listen('pointermove', ({ clientX: x, clientY: y }) => {
    pointer = { x, y };
  });
  listen('pointerover', ({ pointerType, clientX: x, clientY: y, target, relatedTarget }) => {
    if (pointerType !== 'mouse' || x !== pointer.x || y !== pointer.y) return;
    if (controlOf(target) === controlOf(relatedTarget)) return;
    shiftedAtMs = performance.now();
    pointerAtMove = pointer;
  });
  // What is activated later without a key or a pointer, by a screen reader, is a gesture of its own.
  const forget = () => setTimeout(() => note(false, false));
  listen('keyup', forget);
  listen('keydown', (event) => {
    const { repeat, target } = event;
    note(repeat, focusOf(target) === 'text');
    if (isAimed || isTypingOn()) typedAtMs = performance.now();
    if (leavesField(event)) field = besideField = undefined;
    else if (isAimed) field = target as HTMLElement;
  });
  listen('focusin', ({ target }) => {
    if (focusOf(target) === 'text') field = target as HTMLElement;
  });
  listen('pointerdown', ({ target, pointerType }) => {
    pressed = { askId: askOf(target), isMouse: pointerType === 'mouse' };
    const isField = focusOf(target) === 'text';
    if (isField || isAnswering(target)) besideField = undefined;
    else if (askOf(field) !== undefined) besideField = field;
    field = isField ? (target as HTMLElement) : undefined;
  });
  const click = (event: MouseEvent) => {
    const { detail, clientX: x, clientY: y, target } = event;
    // A click without a count comes from a key, which was noted before.
    if (detail === 0) return;
    const [began, askId] = [pressed, askOf(target)];
    pressed = undefined;
    if (began && askId !== undefined && askId !== began.askId) {
      event.preventDefault();
      event.stopImmediatePropagation();
      toast('Nothing was done: another request is here now. Check, then press again.', 'warn');
    }
    const isMouse = began?.isMouse !== false;
    // A finger rests nowhere before it taps: that it taps elsewhere says nothing, but a link only opens something.
    const isTold = isMouse || controlOf(target)?.matches('a');
    note(detail > 1, !!isTold && Math.hypot(x - pointerAtMove.x, y - pointerAtMove.y) > RESTING_PX);
    isShifted = isMouse && !isAimed && performance.now() - shiftedAtMs < JUST_MOVED_MS;
    isTap = !isTold;
    pointer = { x, y };
    forget();
  };
  document.addEventListener('click', click, { signal, capture: true });
}

function note(repeated: boolean, aimed: boolean): void {
  isRepeated = repeated;
  isAimed = aimed;
  isShifted = isTap = false;
}

const controlOf = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest('button, a, label, summary') : null;

/** Another part of the same answers: the person goes on there. */
const isAnswering = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('label, button') !== null &&
  (field ?? besideField)?.closest('fieldset') instanceof Element;

/** Enter is a new line in a field of several lines. */
const leavesField = ({ key, ctrlKey, metaKey, target }: KeyboardEvent): boolean =>
  key === 'Escape' || key === 'Tab' || (key === 'Enter' && (ctrlKey || metaKey || target instanceof HTMLInputElement));

export function focusOf(target: EventTarget | null): Focus {
  if (!(target instanceof HTMLElement)) return 'page';
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return 'text';
  if (target instanceof HTMLInputElement)
    return ['radio', 'checkbox', 'button'].includes(target.type) ? 'control' : 'text';
  // A row of the list is where j and k leave the focus: keys act on what is selected.
  if (target.matches('.row-link')) return 'list';
  return target.closest('button, a, summary, pre') ? 'control' : 'page';
}
