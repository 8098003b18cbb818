import { encodeIntoCompressedBase64 as encode } from "hdr-histogram-js";
import { isGood, microseconds, recordMs, type Reply } from "../../kit/index.ts";
import type { GroupResult } from "./load-plan.ts";

/** Counts the outcomes of a group's requests, beside the recorder of the whole load. A call costs less than 0.1 µs. */
export class GroupRecorder {
  readonly #latencies = microseconds();
  readonly #counts = { good: 0, failed: 0, timeouts: 0 };

  record(reply: Reply): void {
    if (reply.name === "silent") this.#counts.timeouts++;
    else if (isGood(reply)) this.#counts.good++;
    else {
      this.#counts.failed++;
      return;
    }
    recordMs(this.#latencies, reply.ms);
  }

  result(): Pick<GroupResult, "good" | "failed" | "timeouts" | "latencies"> {
    return { ...this.#counts, latencies: encode(this.#latencies) };
  }
}
