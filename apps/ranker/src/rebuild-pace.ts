import type { Log } from "@tally/runtime";

const firstMs = 1000;
const longestMs = 60_000;
// Rankings that were whole for this long were helped by the rebuild.
const calmMs = 10_000;

/** Spaces rebuilds that do not help: the next one for the same reason waits 1 s, then 2, 4, … up to 60 s. The first one
 * after ten seconds with whole rankings waits for nothing. `onDelayed` is called once for each that must wait. */
export function rebuildPace(domain: string, log: Log, onDelayed: (domain: string) => void) {
  /** The last one for each reason, without the numbers in it. */
  const ended = new Map<string, { readonly endedAtMs: number; readonly waitMs: number; isDelayed: boolean }>();
  return {
    /** Whether a rebuild may begin now. Asked again each second while it is needed. */
    mayBegin(reason: string): boolean {
      const last = ended.get(keyOf(reason));
      if (last === undefined) return true;
      const sinceMs = performance.now() - last.endedAtMs;
      if (sinceMs >= calmMs && !last.isDelayed) ended.delete(keyOf(reason));
      if (sinceMs >= last.waitMs || !ended.has(keyOf(reason))) return true;
      if (last.isDelayed) return false;
      last.isDelayed = true;
      const line = `auditor: the rankings of ${domain} need a rebuild again; it waits ${last.waitMs / 1000} s`;
      log.warn({ domain, reason }, line);
      onDelayed(domain);
      return false;
    },

    ended(reason: string): void {
      const before = ended.get(keyOf(reason))?.waitMs ?? firstMs / 2;
      const waitMs = Math.min(longestMs, before * 2);
      ended.set(keyOf(reason), { endedAtMs: performance.now(), waitMs, isDelayed: false });
    },
  };
}

function keyOf(reason: string): string {
  return reason.replaceAll(/\d+/g, "");
}
