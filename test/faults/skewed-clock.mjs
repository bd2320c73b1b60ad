// Loaded into a process with `--import`: its wall clock is wrong by FAULTS_CLOCK_OFFSET_MS. Timers and the monotonic
// clock stay right, as on a machine whose clock was set wrongly.
const offsetMs = Number(process.env.FAULTS_CLOCK_OFFSET_MS ?? 0);
const RightDate = Date;

globalThis.Date = class extends RightDate {
  constructor(...given) {
    if (given.length === 0) super(RightDate.now() + offsetMs);
    else super(...given);
  }

  static now() {
    return RightDate.now() + offsetMs;
  }
};
