// Waits while turns of the event loop bring more of what goes to the database in one message: a message costs as much as
// several of the changes in it.

/** Resolves after the first turn that brought nothing, or once there are `most`. */
export async function gather(count: () => number, most = Number.POSITIVE_INFINITY): Promise<void> {
  for (let before = -1, now = count(); before < now && now < most; now = count()) {
    before = now;
    await new Promise(setImmediate);
  }
}
