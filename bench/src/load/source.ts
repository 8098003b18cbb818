import type { SourceGroup } from "@tally/domains/workloads";
import { runClosed } from "./closed.ts";
import type { GroupTime, LoadPlan } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";
import { runPaced } from "./paced.ts";
import { mixed, randomOf } from "./requests.ts";

/** Runs all groups of a source's run, each from its own moment on. Ends when the last is done. */
export async function runSource(
  plan: LoadPlan,
  { groups, retries }: { readonly groups: readonly SourceGroup[]; readonly retries: number },
  recorder: Recorder,
): Promise<void> {
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const waiting = new Set(groups.filter(({ startsAfter }) => startsAfter !== undefined));
  const answers = new Map(groups.map(({ name, connections }) => [name, new Uint32Array(connections)]));
  const times: GroupTime[] = [];
  // That have not sent all of theirs, whether they have begun or not; and the ends of those that last as long.
  const counting = new Set(groups.filter(({ pacedEveryMs }) => pacedEveryMs === undefined));
  const meanwhile: (() => void)[] = [];
  const all = Promise.withResolvers<void>();

  function answered(group: SourceGroup, connection: number, count: number): void {
    const own = answers.get(group.name);
    if (own !== undefined) own[connection] = count;
    for (const other of waiting) {
      if (other.startsAfter?.group !== group.name || !isDue(other.startsAfter, own)) continue;
      waiting.delete(other);
      // Not within the making of a request.
      setImmediate(() => start(other));
    }
  }

  function start(group: SourceGroup): void {
    const { name, connections } = group;
    // One for each connection: what it sends does not depend on how fast the others are.
    const first = plan.seed * 1_000_003 + groups.indexOf(group) * 10_007;
    const randoms = Array.from({ length: connections }, (_, connection) => randomOf(mixed(first + connection)));
    const begun = seconds();
    const { urls, answerWithinMs } = plan;
    const load = { urls, connections, answerWithinMs, recorder };
    const next = (connection: number, n: number, eventId?: string) => {
      answered(group, connection, n);
      return group.request(connection, n, randoms[connection] ?? Math.random, { eventId });
    };
    let done: Promise<void>;
    if (group.pacedEveryMs === undefined) {
      const onEnd = (connection: number): void => answered(group, connection, group.requestsOfEach);
      ({ done } = runClosed({ ...load, amount: connections * group.requestsOfEach, retries, next, onEnd }));
    } else {
      const paced = runPaced({ ...load, everyMs: group.pacedEveryMs, next });
      meanwhile.push(() => paced.end());
      ({ done } = paced);
    }
    done
      .then(() => {
        times.push({ name, connections, begun, ended: seconds() });
        counting.delete(group);
        if (counting.size === 0) for (const end of meanwhile) end();
        if (times.length === groups.length) all.resolve();
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
  recorder.groups = times;
}

function isDue(
  { connections, responses }: NonNullable<SourceGroup["startsAfter"]>,
  had: Uint32Array | undefined,
): boolean {
  let due = 0;
  for (const count of had ?? []) if (count >= responses) due++;
  return due >= connections;
}
