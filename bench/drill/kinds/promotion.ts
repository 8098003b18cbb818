import { setTimeout as delay } from "node:timers/promises";
import { findLostCommits } from "../lost-commits.ts";
import { appProcesses } from "../system.ts";
import type { FaultKind } from "./fault-kind.ts";

/** The replica applies nothing for a while under load, then the primary ends and the replica takes its place. */
export const promotion: FaultKind = {
  name: "replica-promoted-behind",
  needs: "programs",
  plan: (random) => ({ target: "database-primary", ms: random.integer(500, 1500), count: 0 }),
  async inject(system, { ms }) {
    const { operator, database, domains } = system;
    const links = appProcesses.map((process) => system.link(process, "database-primary"));
    await operator.replicaSql("STOP REPLICA");
    await delay(ms);
    // Waits for commits under way and rejects later ones: what is read then is all that is lost.
    await operator.sql("SET GLOBAL read_only = 1");
    const lost = await findLostCommits(database, domains);
    for (const link of links) link.become({ name: "cut" });
    await operator.promoteReplica?.();
    for (const link of links) link.become({ name: "open" });
    return { backAt: performance.now(), lost };
  },
};
