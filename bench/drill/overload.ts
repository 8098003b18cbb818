import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { workloadOf } from "@tally/domains/workloads";
import { quantile, Random } from "../kit/index.ts";
import { isGood, LoadClient, sendEvenly, type Reply } from "../kit/load.ts";
import { readProcess } from "@tally/local";
import { Mix } from "../kit/index.ts";
import { runAudit } from "./run-audit.ts";
import { openSystem, type System, type SystemOptions } from "./system.ts";

/*
 * Overload of one gateway: limits the bandwidth of its connection to the broker, measures how many events that carries, and then offers ten
 * times as many without waiting for responses.
 */

/** `directory` is deleted at the end. */
interface OverloadOptions extends Omit<SystemOptions, "settings" | "sabotage"> {
  readonly seconds: number;
  readonly seed: number;
}

const bytesPerSecond = 50_000;
// Of all domains together: the connection carries that within CONFIRM_WITHIN_MS.
const waitingMax = 1000;
const factor = 10;
const measuredSeconds = 10;
/** Returns the report that `pnpm drill overload` prints. */
export async function runOverload(options: OverloadOptions) {
  const { directory, domains, seconds, say } = options;
  const waitingMaxOfEach = Math.floor(waitingMax / domains.length);
  const settings = { WAITING_MAX: String(waitingMaxOfEach), BATCH_BYTES_MAX: "16384" };
  const system = await openSystem({ ...options, settings });
  const offer = new Offer(system, options.seed);
  try {
    const link = system.link("gateway-1", "rabbitmq");
    link.become({ name: "narrow", bytesPerSecond });
    say("measuring the capacity of the connection");
    await offer.run(2500, 5);
    const before = offer.counts.acknowledged;
    await offer.run(2500, measuredSeconds);
    const capacity = Math.round((offer.counts.acknowledged - before) / measuredSeconds);
    await offer.drained();

    const offered = capacity * factor;
    say(`capacity: ${capacity} events/s; offering ${offered} events/s for ${seconds} s`);
    offer.counts = zero();
    offer.fullMs = [];
    const memory = { before: residentMiB(system), thirds: [0, 0, 0], after: 0 };
    const startedAt = performance.now();
    const watching = setInterval(() => {
      const third = Math.min(2, Math.floor(((performance.now() - startedAt) / 1000 / seconds) * 3));
      memory.thirds[third] = Math.max(memory.thirds[third] ?? 0, residentMiB(system));
    }, 500);
    await offer.run(offered, seconds);
    clearInterval(watching);
    const { fullMs } = offer;
    const counts = { ...offer.counts };
    const recoveredAfterSeconds = await offer.recovered();
    link.become({ name: "open" });
    await offer.drained();
    memory.after = residentMiB(system);
    const file = join(directory, "acknowledged");
    await writeFile(file, offer.ids.map((id) => `${id}\n`).join(""));
    const { audit, agrees } = await runAudit(system, file);
    return {
      // Events per second that the connection carries, and that were offered.
      capacity,
      offered,
      seconds,
      ...counts,
      // The time until a rejection at once.
      fullMs: { p50: tenths(fullMs, 0.5), p99: tenths(fullMs, 0.99), max: tenths(fullMs, 1) },
      // Resident memory of the gateway in MiB: before, the maximum in each third of the time, after.
      memory,
      // From the end of the overload until an event was acknowledged within 1 s again.
      recoveredAfterSeconds,
      audit,
      agrees,
    };
  } finally {
    await offer.close();
    await system.close();
    await rm(directory, { recursive: true, force: true });
  }
}

// full: rejected at once because too many wait. unconfirmed: rejected after CONFIRM_WITHIN_MS. failed: without a response.
const zero = () => ({ acknowledged: 0, full: 0, unconfirmed: 0, failed: 0 });

// Below CONNECTIONS_PER_ADDRESS_MAX: the gateway closes further connections.
const connectionsMax = 4000;

/** Sends a fixed number of events per second, each once, without waiting for responses. */
class Offer {
  readonly ids: string[] = [];
  readonly #client: LoadClient;
  readonly #mix: Mix;
  readonly #inFlight = new Set<Promise<void>>();
  counts = zero();
  fullMs: number[] = [];

  constructor(system: System, seed: number) {
    const options = { connections: connectionsMax, responseWithinMs: 10_000, keepText: true };
    this.#client = new LoadClient(system.urls[0] ?? "", options);
    this.#mix = new Mix(
      system.domains.map(({ name }) => workloadOf(name)),
      new Random(seed),
      "narrow",
    );
  }

  run(eventsPerSecond: number, seconds: number): Promise<void> {
    return sendEvenly(eventsPerSecond * seconds, eventsPerSecond, () => {
      const work = this.#count().finally(() => this.#inFlight.delete(work));
      this.#inFlight.add(work);
    });
  }

  async drained(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  /** Seconds until one event is acknowledged within 1 s. */
  async recovered(): Promise<number> {
    const endedAt = performance.now();
    for (;;) {
      const reply = await this.#send();
      if (isGood(reply) && reply.ms < 1000) return (performance.now() - endedAt) / 1000;
      await delay(50);
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #count(): Promise<void> {
    const reply = await this.#send();
    if (reply.name !== "responded") this.counts.failed++;
    else if (reply.status < 300) this.counts.acknowledged++;
    else if (reply.status !== 503) this.counts.failed++;
    else if (reply.text.includes("too many")) {
      this.counts.full++;
      this.fullMs.push(reply.ms);
    } else this.counts.unconfirmed++;
  }

  async #send(): Promise<Reply> {
    const posting = this.#mix.next();
    const reply = await this.#client.send(posting.request, { key: randomUUID() });
    if (isGood(reply)) {
      this.ids.push(reply.id);
      this.#mix.acknowledged(posting, reply.id);
    }
    return reply;
  }
}

const tenths = (values: readonly number[], share: number): number => Math.round(quantile(values, share) * 10) / 10;

function residentMiB(system: System): number {
  return Math.round(readProcess(system.server("gateway-1").pid ?? 0)?.memoryMiB ?? 0);
}
