import type { ClientRequest, Workload } from "@tally/domains/workloads";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { LoadPlan } from "./load-plan.ts";

/** Numbers from 0 to below 1, always the same for a seed. */
export function randomOf(seed: number): () => number {
  const generator = xoroshiro128plus(seed);
  return () => uniformInt(generator, 0, 2 ** 31 - 1) / 2 ** 31;
}

/** Another seed far away. Generators of seeds side by side begin with nearly the same numbers: each of many connections needs its own. */
export function mixed(seed: number): number {
  let bits = seed | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/**
 * The seed of one of several threads that send together: that of seed 1's second thread is not that of seed 2's first. The first has the
 * seed itself, so a client of one thread sends what its seed says.
 */
export function seedOfThread(seed: number, index: number): number {
  return index === 0 ? seed : mixed(mixed(seed) + index);
}

/**
 * Requests without end: always the same for a seed, in the same order, whichever connection sends them; apart from those that ask for what
 * the same connection has posted just before.
 */
export class Requests {
  readonly #plan: LoadPlan;
  readonly #workload: Workload;
  readonly #random: () => number;

  constructor(plan: LoadPlan, workload: Workload) {
    this.#plan = plan;
    this.#workload = workload;
    this.#random = randomOf(plan.seed);
  }

  /** `eventId`: what the connection's last request was answered with, if it was. */
  next(eventId?: string): ClientRequest {
    const { readShare, spread, contentBytes } = this.#plan;
    if (readShare > 0 && this.#random() < readShare)
      return { method: "GET", path: this.#workload.read(this.#random, spread) };
    return this.#workload.next(this.#random, spread, { eventId, contentBytes });
  }
}

/** A request as it goes over the wire. */
export function bytesOf({ method, path, body, contentType = "application/json" }: ClientRequest, host: string): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n`;
  if (body === undefined) return Buffer.from(`${head}${method === "GET" ? "" : "Content-Length: 0\r\n"}\r\n`, "latin1");
  const length = Buffer.byteLength(body);
  const whole = `${head}Content-Type: ${contentType}\r\nContent-Length: ${length}\r\n\r\n`;
  return typeof body === "string" ? Buffer.from(whole + body) : Buffer.concat([Buffer.from(whole), body]);
}
