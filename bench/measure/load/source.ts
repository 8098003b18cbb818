import { mixSeed, Random, type SourceGroup } from "../../kit/index.ts";
import { runClosed } from "./closed.ts";
import type { GroupTime, LoadPlan } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";

/** Runs all groups of a source's run, each from its start. Ends when the last is done. */
export async function runSource(
  plan: LoadPlan,
  { groups, retries }: { readonly groups: readonly SourceGroup[]; readonly retries: number },
  recorder: Recorder,
): Promise<readonly GroupTime[]> {
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const waiting = new Set(groups.filter(({ startsAfter }) => startsAfter !== undefined));
  const responses = new Map(groups.map(({ name, connections }) => [name, new Uint32Array(connections)]));
  const results: GroupTime[] = [];
  // Groups with a number of requests that are not done; paced groups last until these are.
  const counting = new Set(groups.filter(({ pacedEveryMs }) => pacedEveryMs === undefined));
  const endPaced: (() => void)[] = [];
  const all = Promise.withResolvers<void>();

  function responded(group: SourceGroup, connection: number, count: number): void {
    const own = responses.get(group.name);
    if (own !== undefined) own[connection] = count;
    for (const other of waiting) {
      if (other.startsAfter?.group !== group.name || !isDue(other.startsAfter, own)) continue;
      waiting.delete(other);
      // After the current request is made.
      setImmediate(() => start(other));
    }
  }

  function start(group: SourceGroup): void {
    const { name, connections, pacedEveryMs, requestsOfEach } = group;
    // One for each connection: its requests do not depend on the speed of the others.
    const first = plan.seed * 1_000_003 + groups.indexOf(group) * 10_007;
    const randoms = Array.from({ length: connections }, (_, connection) => new Random(mixSeed(first + connection)));
    const begun = seconds();
    const { urls, responseWithinMs } = plan;
    const load = {
      urls,
      connections,
      responseWithinMs,
      recorder,
      next(connection: number, n: number, eventId?: string) {
        responded(group, connection, n);
        return group.request(connection, n, randoms[connection]?.fraction ?? Math.random, { eventId });
      },
    };
    const onEnd = (connection: number): void => responded(group, connection, requestsOfEach);
    const running =
      pacedEveryMs === undefined
        ? runClosed({ ...load, amount: connections * requestsOfEach, retries, onEnd })
        : runClosed({ ...load, amount: undefined, everyMs: pacedEveryMs });
    if (pacedEveryMs !== undefined) endPaced.push(() => running.end());
    running.done
      .then(() => {
        results.push({ name, connections, begun, ended: seconds() });
        counting.delete(group);
        if (counting.size === 0) for (const end of endPaced) end();
        if (results.length === groups.length) all.resolve();
        return undefined;
      })
      .catch(all.reject);
  }

  for (const group of groups) {
    if (waiting.has(group)) continue;
    if (group.startsAfterSeconds === undefined || group.startsAfterSeconds === 0) start(group);
    else setTimeout(() => start(group), group.startsAfterSeconds * 1000);
  }
  await all.promise;
  return results;
}

function isDue(
  { connections, responses }: NonNullable<SourceGroup["startsAfter"]>,
  received: Uint32Array | undefined,
): boolean {
  let due = 0;
  for (const count of received ?? []) if (count >= responses) due++;
  return due >= connections;
}
