/** 256 KiB: fits into the second cache of each core. */
const words = new Uint32Array(2 ** 16).map((_, index) => index);
const steps = 60_000_000;
const stepsOfWarmUp = 5_000_000;

/**
 * Runs a fixed piece of work on this thread and returns the time of one of its steps, in ns. The work has integer
 * arithmetic and reads and writes of a small table, each of which depends on the one before. It takes 200 to 400 ms
 * on an idle machine, and the thread does nothing else meanwhile.
 */
export function calibrate(): number {
  // Node compiles the loop during the warm-up.
  let state = mix(1, stepsOfWarmUp);
  const startedAt = performance.now();
  state = mix(state, steps);
  const ms = performance.now() - startedAt;
  // Keeps the result in use, so that the compiler keeps the loop.
  words[0] = state;
  return (ms * 1e6) / steps;
}

function mix(seed: number, count: number): number {
  let state = seed | 0;
  for (let step = 0; step < count; step++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + step;
    const at = state & 0xffff;
    state = (state ^ (words[at] ?? 0)) | 0;
    words[at] = state;
  }
  return state;
}
