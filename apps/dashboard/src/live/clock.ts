import { signal } from "@preact/signals";

// The gateway's clock minus the browser's, in ms. A till's clock may be minutes off, and ages must not be.
let offsetMs = 0;

/** The gateway's time in ms since 1970, to the second. Components that read it render each second. */
export const now = signal(Date.now());

/** Takes over the time of a beat, which the gateway has just sent. */
export function noteServerTime(iso: string): void {
  const offset = Date.parse(iso) - Date.now();
  // Below one second it may be the network, and the ages would jump.
  offsetMs = Math.abs(offset) < 1000 ? 0 : offset;
}

/** The same, to the millisecond. */
export const currentMs = (): number => Date.now() + offsetMs;

export function startClock(): void {
  setInterval(() => (now.value = currentMs()), 1000);
}
