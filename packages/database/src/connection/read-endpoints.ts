import { setTimeout as sleep } from "node:timers/promises";
import type { SqlReader } from "@tally/contract";
import { Endpoint, type EndpointOptions } from "./endpoint.ts";
import { read } from "./read.ts";

/*
 * The servers of the read endpoint, in turns. A server is left out
 *
 *   down      from a failed attempt until it responds; it is asked every second. Only when there is another one
 *   behind    from setBehind(true) to setBehind(false): its caller measures the lag
 *
 * When all are left out, those that are behind serve reads, and then those that are down.
 */

const askEveryMs = 1000;

/** One server of the read endpoint. */
export interface Replica {
  readonly name: string;
  /** False from a failed attempt until the server responds again. */
  readonly isUp: boolean;
  readonly isBehind: boolean;
  /** Works even while the server is left out. */
  readonly reader: SqlReader;
  setBehind(isBehind: boolean): void;
}

interface Member {
  readonly endpoint: Endpoint;
  isUp: boolean;
  isBehind: boolean;
}

export class ReadEndpoints {
  readonly #members: readonly Member[];
  readonly #stop = new AbortController();
  readonly replicas: readonly Replica[];
  #serving: readonly Member[];
  #turn = 0;

  /** `list`: URLs, separated by commas. `connections` is for each of them. Throws DATABASE_URL. */
  constructor(options: Omit<EndpointOptions, "name" | "url">, list: string) {
    const urls = list.split(",").flatMap((url) => (url.trim() === "" ? [] : [url.trim()]));
    this.#members = urls.map((url) => ({
      endpoint: new Endpoint({ ...options, name: "read", url, ...(urls.length > 1 && { server: hostOf(url) }) }),
      isUp: true,
      isBehind: false,
    }));
    this.#serving = this.#members;
    this.replicas = this.#members.map((member, index) => ({
      name: hostOf(urls[index] ?? ""),
      get isUp() {
        return member.isUp;
      },
      get isBehind() {
        return member.isBehind;
      },
      reader: {
        query: (sql, values) => read({ size: 1, next: () => member.endpoint, failed: this.failed }, sql, values),
      },
      setBehind: (isBehind) => this.#change(member, { isBehind }),
    }));
  }

  get size(): number {
    return this.#members.length;
  }

  next(): Endpoint {
    this.#turn = (this.#turn + 1) % this.#serving.length;
    const member = this.#serving[this.#turn];
    if (member === undefined) throw new TypeError("the read endpoint has no server");
    return member.endpoint;
  }

  /** Leaves a server out until it responds. */
  readonly failed = (endpoint: Endpoint): void => {
    const member = this.#members.find((one) => one.endpoint === endpoint);
    if (this.#members.length === 1 || member?.isUp !== true) return;
    this.#change(member, { isUp: false });
    void this.#askUntilUp(member);
  };

  get load(): Endpoint["load"] {
    const loads = this.#members.map(({ endpoint }) => endpoint.load);
    const sum = (of: "lent" | "waiting"): number => loads.reduce((total, load) => total + load[of], 0);
    return { endpoint: "read", lent: sum("lent"), waiting: sum("waiting") };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#members.map(({ endpoint }) => endpoint.close()));
  }

  #change(member: Member, change: Partial<Pick<Member, "isUp" | "isBehind">>): void {
    Object.assign(member, change);
    const up = this.#members.filter(({ isUp }) => isUp);
    const current = up.filter(({ isBehind }) => !isBehind);
    this.#serving = [current, up].find(({ length }) => length > 0) ?? this.#members;
  }

  async #askUntilUp(member: Member): Promise<void> {
    const { signal } = this.#stop;
    const asked = { size: 1, next: () => member.endpoint, failed: () => undefined };
    while (!member.isUp && !signal.aborted) {
      await sleep(askEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
      // The endpoint logs what it fails with.
      const isUp = await read(asked, "SELECT 1").then(
        () => true,
        () => false,
      );
      this.#change(member, { isUp });
    }
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "";
}
