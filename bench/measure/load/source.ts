import { setTimeout as delay } from "node:timers/promises";
import { mixSeed, Random, type SourceGroup } from "../../kit/index.ts";
import { runClosed } from "./closed.ts";
import type { GroupTime, LoadPlan } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";

type Condition = NonNullable<SourceGroup["startsAfter"]>;

/** Runs all groups of a source's run, each from its start. Paced groups last until the others are done. */
export async function runSource(
  plan: LoadPlan,
  { groups, retries }: { readonly groups: readonly SourceGroup[]; readonly retries: number },
  recorder: Recorder,
): Promise<readonly GroupTime[]> {
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const responses = new Map(groups.map(({ name, connections }) => [name, new Uint32Array(connections)]));
  const waiting = new Map<Condition, () => void>();
  const counted = new AbortController();

  function responded({ name }: SourceGroup, connection: number, count: number): void {
    const own = responses.get(name);
    if (own !== undefined) own[connection] = count;
    for (const [condition, start] of waiting) {
      if (condition.group !== name || !isDue(condition, own)) continue;
      waiting.delete(condition);
      // After the current request is made.
      setImmediate(start);
    }
  }

  async function run(group: SourceGroup): Promise<GroupTime> {
    const { name, connections, pacedEveryMs, requestsOfEach, startsAfter, startsAfterSeconds = 0 } = group;
    if (startsAfter !== undefined) await new Promise<void>((resolve) => waiting.set(startsAfter, resolve));
    else if (startsAfterSeconds > 0) await delay(startsAfterSeconds * 1000);
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
    if (pacedEveryMs === undefined) await runClosed({ ...load, amount: connections * requestsOfEach, retries, onEnd });
    else await runClosed({ ...load, amount: Infinity, everyMs: pacedEveryMs, ending: counted.signal });
    return { name, connections, begun, ended: seconds() };
  }

  const all = groups.map((group) => run(group));
  await Promise.all(all.filter((_, index) => groups[index]?.pacedEveryMs === undefined));
  counted.abort();
  return Promise.all(all);
}

function isDue({ connections, responses }: Condition, received: Uint32Array | undefined): boolean {
  let due = 0;
  for (const count of received ?? []) if (count >= responses) due++;
  return due >= connections;
}
