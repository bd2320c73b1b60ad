// Plays a short tone for new requests, where the person has switched it on. Browsers allow it after the first click or key.

const PAUSE_MS = 3000;
let playedAtMs = Number.NEGATIVE_INFINITY;
let context: AudioContext | undefined;

/** At most once in a few seconds, however many arrive. */
export function chime(): void {
  const now = performance.now();
  if (now - playedAtMs < PAUSE_MS) return;
  playedAtMs = now;
  context ??= new AudioContext();
  const { currentTime: at, destination } = context;
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.frequency.setValueAtTime(660, at);
  tone.frequency.setValueAtTime(880, at + 0.12);
  volume.gain.setValueAtTime(0.08, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + 0.4);
  tone.connect(volume).connect(destination);
  tone.start(at);
  tone.stop(at + 0.4);
}
