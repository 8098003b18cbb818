import { setTimeout as sleep } from "node:timers/promises";
import type { SqlReader, SqlParameter, SqlSnapshot } from "@tally/contract";
import { Endpoint, type EndpointOptions } from "./endpoint.ts";
import { backOff } from "@tally/runtime";
import { DatabaseError } from "./database-error.ts";
import { rowsOf, sqlOf } from "./run-statement.ts";
import type { Session } from "./session.ts";

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

const hostOf = (url: string): string => URL.parse(url)?.host ?? "";

const attemptsMax = 3;

/** Where reads go: `size` servers, one for each attempt. */
export interface ReadSource {
  readonly size: number;
  next(): Endpoint;
  failed(endpoint: Endpoint): void;
}

/** Retries a SELECT after a lost connection, on the next server. Not after a timeout: it would exceed the caller's. */
export async function read<Row extends object>(
  source: ReadSource,
  sql: string,
  values?: readonly SqlParameter[],
): Promise<readonly Row[]> {
  for (let failures = 1; ; failures++) {
    const endpoint = source.next();
    try {
      const rows = rowsOf<Row>(await attempt(endpoint, sql, values));
      endpoint.worked();
      return rows;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== "unavailable") throw error;
      endpoint.failed(error);
      source.failed(endpoint);
      if (error.code !== "DATABASE_UNAVAILABLE" || failures === attemptsMax) throw error;
      await backOff(failures, error);
    }
  }
}

async function attempt(endpoint: Endpoint, sql: string, values?: readonly SqlParameter[]) {
  const session = await endpoint.open();
  try {
    return await session.run(sql, values);
  } finally {
    session.return();
  }
}

// The server sorts sums over a hundred million rows before it sends the first one.
const silenceMs = 1_800_000;

export interface SnapshotOptions {
  /** A SELECT that opens tables. ALTER TABLE and the like on them wait until `work` ends. */
  readonly holding?: string | undefined;
}

/** A server that is unavailable is skipped before `work`; no retries after. Closing the database ends it. */
export async function snapshot<T>(
  source: ReadSource,
  work: (reader: SqlSnapshot) => Promise<T>,
  { holding }: SnapshotOptions,
): Promise<T> {
  const { endpoint, session } = await openOn(source);
  try {
    await session.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    // With `holding` the moment is that of the first read, which comes after the locks on the definitions.
    const moment = holding === undefined ? "WITH CONSISTENT SNAPSHOT, " : "";
    await session.run(`START TRANSACTION ${moment}READ ONLY`);
    if (holding !== undefined) await session.run(holding);
    const result = await work({
      ...sqlOf(session),
      stream: (sql, values) => session.stream(sql, values, silenceMs),
    });
    endpoint.worked();
    return result;
  } finally {
    await session.rollback();
    session.return();
  }
}

async function openOn(source: ReadSource): Promise<{ endpoint: Endpoint; session: Session }> {
  for (let failures = 1; ; failures++) {
    const endpoint = source.next();
    try {
      return { endpoint, session: await endpoint.open({ abandonable: true }) };
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== "unavailable") throw error;
      endpoint.failed(error);
      source.failed(endpoint);
      if (failures === source.size) throw error;
    }
  }
}
