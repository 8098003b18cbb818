import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { workloadOf } from "@tally/domains/workloads";
import type { Domain } from "@tally/pipeline";
import type { AuditReport } from "@tally/reconcile";
import { Client, type Reply } from "./load/client.ts";
import { Mix } from "./load/mix.ts";
import { Random } from "./random.ts";
import { runAudit } from "./run-audit.ts";
import { openStand, type Stand } from "./stand.ts";

/*
 * Ten times what can be carried: the link from one gateway to the broker is made narrow, what comes through it is measured, and then
 * ten times as much is offered, whether it is answered or not.
 */

export interface OverloadOptions {
  readonly root: string;
  /** Deleted at the end. */
  readonly directory: string;
  readonly domains: readonly Domain[];
  readonly seconds: number;
  readonly seed: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface OverloadReport {
  /** Events a second that the narrow link carries, and that were offered. */
  readonly capacity: number;
  readonly offered: number;
  readonly seconds: number;
  readonly acknowledged: number;
  /** Turned away at once because too many wait, and after CONFIRM_WITHIN_MS because no confirm came. */
  readonly full: number;
  readonly unconfirmed: number;
  /** Not answered at all. */
  readonly failed: number;
  /** How long it took to be turned away at once, in ms. */
  readonly fullMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Resident memory of the gateway in MiB: before, and at its largest in each third of the time. */
  readonly memory: { readonly before: number; readonly thirds: readonly number[]; readonly after: number };
  /** From the end of the overload until an event was acknowledged in less than a second again. */
  readonly recoveredAfterSeconds: number;
  readonly audit: AuditReport["audit"];
  readonly agrees: boolean;
}

const bytesPerSecond = 50_000;
// All domains together: the link carries that in less than CONFIRM_WITHIN_MS.
const waitingMax = 1000;
const factor = 10;
const measuredSeconds = 10;
const connections = 6000;
const tickMs = 5;

export async function runOverload(o: OverloadOptions): Promise<OverloadReport> {
  const waitingMaxOfEach = Math.floor(waitingMax / o.domains.length);
  const settings = { WAITING_MAX: String(waitingMaxOfEach), BATCH_BYTES_MAX: "16384" };
  const stand = await openStand({ ...o, settings });
  const offer = new Offer(stand, o.seed);
  try {
    stand.link("gateway-1", "rabbitmq").become({ name: "narrow", bytesPerSecond });
    o.say("measuring what the link carries");
    await offer.run(2500, 5);
    const before = offer.acknowledged;
    await offer.run(2500, measuredSeconds);
    const capacity = Math.round((offer.acknowledged - before) / measuredSeconds);
    await offer.drained();

    const offered = capacity * factor;
    o.say(`it carries ${capacity} events/s; offering ${offered}/s for ${o.seconds} s`);
    offer.reset();
    const memory = { before: residentMiB(stand), thirds: [0, 0, 0], after: 0 };
    const watching = setInterval(() => {
      const third = Math.min(2, Math.floor((offer.elapsedSeconds / o.seconds) * 3));
      memory.thirds[third] = Math.max(memory.thirds[third] ?? 0, residentMiB(stand));
    }, 500);
    await offer.run(offered, o.seconds);
    clearInterval(watching);
    const { acknowledged, full, unconfirmed, failed, fullMs } = offer;
    const recoveredAfterSeconds = await offer.recovered();
    stand.link("gateway-1", "rabbitmq").become({ name: "open" });
    await offer.drained();
    memory.after = residentMiB(stand);
    const file = join(o.directory, "acknowledged");
    await writeFile(file, offer.ids.map((id) => `${id}\n`).join(""));
    const { audit, agrees } = await runAudit(o.root, stand, file);
    return {
      capacity,
      offered,
      seconds: o.seconds,
      acknowledged,
      full,
      unconfirmed,
      failed,
      fullMs: { p50: quantile(fullMs, 0.5), p99: quantile(fullMs, 0.99), max: quantile(fullMs, 1) },
      memory,
      recoveredAfterSeconds,
      audit,
      agrees,
    };
  } finally {
    offer.close();
    await stand.close();
    await rm(o.directory, { recursive: true, force: true });
  }
}

/** Sends so many events a second, each once, and does not wait for answers. */
class Offer {
  readonly ids: string[] = [];
  readonly #client: Client;
  readonly #mix: Mix;
  readonly #underWay = new Set<Promise<void>>();
  acknowledged = 0;
  full = 0;
  unconfirmed = 0;
  failed = 0;
  fullMs: number[] = [];
  #startedAt = performance.now();

  constructor(stand: Stand, seed: number) {
    this.#client = new Client(stand.urls[0] ?? "", connections);
    this.#mix = new Mix(
      stand.domains.map(({ name }) => workloadOf(name)),
      new Random(seed),
      "narrow",
    );
  }

  get elapsedSeconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  reset(): void {
    this.acknowledged = 0;
    this.full = 0;
    this.unconfirmed = 0;
    this.failed = 0;
    this.fullMs = [];
  }

  async run(eventsPerSecond: number, seconds: number): Promise<void> {
    this.#startedAt = performance.now();
    let sent = 0;
    while (this.elapsedSeconds < seconds) {
      const due = this.elapsedSeconds * eventsPerSecond;
      for (; sent < due; sent++) this.#send();
      await delay(tickMs);
    }
  }

  async drained(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async recovered(): Promise<number> {
    const endedAt = performance.now();
    for (;;) {
      const sentAt = performance.now();
      if (idOf(await this.#post()) !== undefined && performance.now() - sentAt < 1000)
        return (performance.now() - endedAt) / 1000;
      await delay(50);
    }
  }

  close(): void {
    this.#client.close();
  }

  #send(): void {
    const work = this.#count().finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  async #count(): Promise<void> {
    const sentAt = performance.now();
    const reply = await this.#post();
    if (idOf(reply) !== undefined) this.acknowledged++;
    else if (reply.name !== "answered" || reply.status !== 503) this.failed++;
    else if (reply.text.includes("too many")) {
      this.full++;
      this.fullMs.push(performance.now() - sentAt);
    } else this.unconfirmed++;
  }

  async #post(): Promise<Reply> {
    const posting = this.#mix.next();
    const reply = await this.#client.post(posting.request, randomUUID());
    const id = idOf(reply);
    if (id !== undefined) {
      this.ids.push(id);
      this.#mix.acknowledged(posting, id);
    }
    return reply;
  }
}

/** The id of an acknowledged event; undefined for any other reply. */
function idOf(reply: Reply): string | undefined {
  return reply.name === "answered" && reply.status < 300 ? reply.id : undefined;
}

function residentMiB(stand: Stand): number {
  const { pid } = stand.process("gateway-1");
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return Math.round(value * 10) / 10;
}
