import type { SourceGroup, SourceRun } from "@tally/pipeline";
import { runClosed } from "./closed.ts";
import type { LoadPlan } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";
import { randomOf } from "./requests.ts";

/** Runs all groups of a source's run, each from its own moment on. Ends when the last is done. */
export async function runSource(
  plan: LoadPlan,
  { run, scale }: { readonly run: SourceRun; readonly scale: number },
  recorder: Recorder,
): Promise<void> {
  const groups = run.groups(scale);
  const all = Promise.withResolvers<void>();
  let running = groups.length;
  const waiting = new Set(groups.filter(({ startsAfter }) => startsAfter !== undefined));

  function start(group: SourceGroup): void {
    // One for each connection: what it sends does not depend on how fast the others are.
    const first = plan.seed * 1_000_003 + groups.indexOf(group) * 10_007;
    const randoms = Array.from({ length: group.connections }, (_, connection) => randomOf(first + connection));
    const { done } = runClosed({
      urls: plan.urls,
      connections: group.connections,
      answerWithinMs: plan.answerWithinMs,
      amount: group.connections * group.requestsOfEach,
      next(connection, n) {
        for (const other of waiting) {
          if (other.startsAfter?.group !== group.name || n < other.startsAfter.sent) continue;
          waiting.delete(other);
          // Not within the making of a request.
          setImmediate(() => start(other));
        }
        const { path, body } = group.request(connection, n, randoms[connection] ?? Math.random);
        return { method: "POST", path, body };
      },
      recorder,
    });
    done
      .then(() => {
        if (--running === 0) all.resolve();
        return undefined;
      })
      .catch(all.reject);
  }

  for (const group of groups) if (!waiting.has(group)) start(group);
  await all.promise;
}
