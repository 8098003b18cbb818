import { type Database, countLetters, newestStored } from "@tally/database";
import { addFlows } from "../heartbeats/heartbeat.ts";
import { type Heartbeats, type RedisMaster } from "../heartbeats/connect-heartbeats.ts";
import type { Publisher } from "@tally/broker";
import { queuesOf } from "@tally/contract";
import { domainStatus, heldOf, type Depths } from "./domain-status.ts";
import { errorsOf, hopsOf, isAlive, processOf } from "./of-heartbeats.ts";
import { Probe, type Probed } from "./probe.ts";
import { problemsOf, Stalls } from "./problems.ts";
import { readLagMs } from "./replicas.ts";
import type { ServerStatus, Status } from "./status.ts";

/** The connections by which the status is read. */
export interface StatusServers {
  readonly database: Pick<Database, "replicas" | "writer" | "responds">;
  readonly publisher: Pick<Publisher, "state" | "queueDepth">;
  readonly heartbeats: Pick<Heartbeats, "masters" | "read">;
  readonly namespace: string;
  /** The names of all domains. */
  readonly domains: readonly string[];
}

// With the time of a look at the page, a server that is down is reported within 2 s.
const withinMs = 700;
const countLettersEveryMs = 2000;

/**
 * Computes the status of a system from its servers. A reading takes some ms, and at most 0.7 s while a server does not
 * respond: about ten passive declarations of queues, five short statements and two commands of each Redis. Keep one
 * reader, and do not call it for each viewer.
 */
export class StatusReader {
  readonly #servers: StatusServers;
  readonly #probes;
  readonly #depths: ReadonlyMap<string, Probe<Depths>>;
  readonly #stalls = new Stalls();

  constructor(servers: StatusServers) {
    const { database, heartbeats, publisher, namespace, domains } = servers;
    this.#servers = servers;
    this.#probes = {
      write: new Probe(withinMs, async () => expectTrue(await database.responds("write"))),
      read: new Probe(withinMs, async () => expectTrue(await database.responds("read"))),
      // Apart from the lag: without the read endpoint this is known.
      newest: new Probe(withinMs, () => newestStored(database.writer, domains)),
      lag: new Probe(withinMs, () => readLagMs(database, domains)),
      letters: new Probe(
        withinMs,
        kept(countLettersEveryMs, () => countLetters(database.writer)),
      ),
      heartbeats: new Probe(withinMs, () => heartbeats.read()),
      masters: new Probe(withinMs, () => heartbeats.masters()),
    };
    this.#depths = new Map(
      domains.map((domain) => {
        const { ingest, rank } = queuesOf(namespace, domain);
        return [domain, new Probe(withinMs, () => depthsOf(publisher, ingest.name, rank.name))];
      }),
    );
  }

  /** Never rejects: a server that does not respond is part of the status. */
  async read(): Promise<Status> {
    const { write, read, newest, lag, letters, heartbeats, masters } = this.#probes;
    const depthsNow = async () =>
      new Map(
        await Promise.all([...this.#depths].map(async ([domain, probe]) => [domain, await probe.read()] as const)),
      );
    const [writeProbed, readProbed, newestProbed, lagProbed, lettersProbed, beatsProbed, mastersProbed, depths] =
      await Promise.all([
        write.read(),
        read.read(),
        newest.read(),
        lag.read(),
        letters.read(),
        heartbeats.read(),
        masters.read(),
        depthsNow(),
      ]);
    const beats = beatsProbed?.value;
    const servers: readonly ServerStatus[] = [
      brokerStatus(this.#servers.publisher.state, [...depths.values()]),
      serverStatus("databaseWrite", writeProbed),
      serverStatus("databaseRead", readProbed),
      ...redisStatus(mastersProbed?.value ?? [], beats === undefined ? undefined : beatsProbed),
    ];
    const alive = beats?.filter(isAlive) ?? [];
    const flows = addFlows(alive.flatMap((beat) => beat.flows));
    const domains = this.#servers.domains.map((name) =>
      domainStatus({
        name,
        flows: flows.filter(({ domain }) => domain === name),
        depths: depths.get(name)?.value,
        held: beats === undefined ? undefined : heldOf(alive, name),
        newest: newestProbed?.value.get(name),
      }),
    );
    const processes = (beats ?? []).map(processOf);
    const replicaLagMs = lagProbed?.value ?? null;
    const stalled = this.#stalls.of(domains);
    const { replicas } = this.#servers.database;
    const unused = replicas.filter(({ isUp, isBehind }) => !isUp || (isBehind && replicas.length > 1));
    const known = {
      unused: unused.map(({ name }) => name),
      servers,
      domains,
      replicaLagMs,
      processes,
      stalled,
      knowsProcesses: beats !== undefined,
    };
    return {
      at: new Date().toISOString(),
      ...problemsOf(known),
      servers: [...servers],
      domains,
      secondsToDrain: largest(domains.map((domain) => domain.secondsToDrain)),
      replicaLagMs,
      hops: hopsOf(alive),
      processes,
      deadLetters: lettersProbed?.value ?? null,
      lastErrors: errorsOf(beats ?? []),
    };
  }
}

function serverStatus(name: ServerStatus["name"], probed: Probed<unknown>): ServerStatus {
  return { name, state: probed === undefined ? "down" : "up", latencyMs: rounded(probed?.tookMs) };
}

/** One entry, or of a cluster one for each master. */
function redisStatus(masters: readonly RedisMaster[], probed: Probed<unknown>): readonly ServerStatus[] {
  if (masters.length === 0) return [serverStatus("redis", probed)];
  return masters.map(({ node, latencyMs }) => {
    return { name: "redis", node, state: latencyMs === undefined ? "down" : "up", latencyMs: rounded(latencyMs) };
  });
}

function brokerStatus(state: Publisher["state"], depths: readonly Probed<Depths>[]): ServerStatus {
  const times = depths.flatMap((probed) => (probed === undefined ? [] : [probed.tookMs]));
  if (state === "up" && times.length === 0) return { name: "broker", state: "down", latencyMs: null };
  return { name: "broker", state, latencyMs: state === "up" ? rounded(Math.min(...times)) : null };
}

async function depthsOf(publisher: StatusServers["publisher"], ingest: string, rank: string): Promise<Depths> {
  const depths = await Promise.all([publisher.queueDepth(ingest), publisher.queueDepth(rank)]);
  if (depths[0] === undefined || depths[1] === undefined) throw new Error("no response");
  return { ingest: depths[0], rank: depths[1] };
}

function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length < values.length ? null : Math.max(0, ...known);
}

function expectTrue(responds: boolean): true {
  if (!responds) throw new Error("no response");
  return true;
}

/** `read`, at most once in `everyMs`; a failure is not kept. */
function kept<T>(everyMs: number, read: () => Promise<T>): () => Promise<T> {
  let last: { readonly atMs: number; readonly value: T } | undefined;
  return async () => {
    const now = performance.now();
    if (last === undefined || now - last.atMs >= everyMs) last = { atMs: now, value: await read() };
    return last.value;
  };
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms * 100) / 100;
}
