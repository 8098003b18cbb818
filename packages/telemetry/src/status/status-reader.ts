import { type Database, countLetters, newestStored } from "@tally/database";
import { addFlows, addHops, HopName, type Heartbeat, countOf, quantileOf } from "../heartbeats/heartbeat.ts";
import type { Heartbeats, RedisMaster, FoundHeartbeat } from "../heartbeats/connect-heartbeats.ts";
import type { Publisher } from "@tally/broker";
import { queuesOf } from "@tally/contract";
import { kept } from "@tally/runtime";
import { domainStatus, heldOf, type Depths, problemsOf, stalls } from "./problems.ts";
import { probe, type Probed, readLagMs } from "./replicas.ts";
import type { ServerStatus, Status, HopStatus, LoggedError, ProcessStatus } from "./status.ts";

interface StatusServers {
  readonly database: Pick<Database, "replicas" | "writer" | "responds">;
  readonly publisher: Pick<Publisher, "state" | "queueDepth">;
  readonly heartbeats: Pick<Heartbeats, "masters" | "read">;
  readonly namespace: string;
  readonly domains: readonly string[];
  /** A server that does not respond by then is down. */
  readonly withinMs: number;
}

const countLettersEveryMs = 2000;
const goneAfterMs = 3000;
const errorsMax = 20;

function probesOf({ database, heartbeats, publisher, namespace, domains, withinMs }: StatusServers) {
  const responds = async (endpoint: "read" | "write"): Promise<void> => {
    if (!(await database.responds(endpoint))) throw new Error("no response");
  };
  const letters = kept(() => countLetters(database.writer), countLettersEveryMs);
  return {
    write: probe(withinMs, () => responds("write")),
    read: probe(withinMs, () => responds("read")),
    // Apart from the lag: without the read endpoint this is known.
    newest: probe(withinMs, () => newestStored(database.writer, domains)),
    lag: probe(withinMs, () => readLagMs(database, domains)),
    letters: probe(withinMs, letters),
    heartbeats: probe(withinMs, () => heartbeats.read()),
    masters: probe(withinMs, () => heartbeats.masters()),
    depths: domains.map((domain) => {
      const { ingest, rank } = queuesOf(namespace, domain);
      const read = probe(withinMs, () => depthsOf(publisher, ingest.name, rank.name));
      return async () => [domain, await read()] as const;
    }),
  };
}

export type StatusReader = ReturnType<typeof statusReader>;

/** Computes the status of a system from its servers. A reading takes some ms, and at most `withinMs` while a server does
 * not respond: about ten passive declarations of queues, five short statements, two commands of each Redis. */
export function statusReader(servers: StatusServers) {
  const probes = probesOf(servers);
  const stalledOf = stalls();

  /** Never rejects: a server that does not respond is part of the status. */
  async function read(): Promise<Status> {
    const [write, readable, newest, lag, letters, heartbeats, masters, ...depthEntries] = await Promise.all([
      probes.write(),
      probes.read(),
      probes.newest(),
      probes.lag(),
      probes.letters(),
      probes.heartbeats(),
      probes.masters(),
      ...probes.depths.map((ofDomain) => ofDomain()),
    ]);
    const depths = new Map(depthEntries);
    const beats = heartbeats?.value;
    const shown: readonly ServerStatus[] = [
      brokerStatus(servers.publisher.state, [...depths.values()]),
      serverStatus("databaseWrite", write),
      serverStatus("databaseRead", readable),
      ...redisStatus(masters?.value ?? [], beats && heartbeats),
    ];
    const alive = beats?.filter(isAlive) ?? [];
    const flows = addFlows(alive.flatMap((beat) => beat.flows));
    const domains = servers.domains.map((name) =>
      domainStatus({
        name,
        flows: flows.filter(({ domain }) => domain === name),
        depths: depths.get(name)?.value,
        held: beats === undefined ? undefined : heldOf(alive, name),
        newest: newest?.value.get(name),
      }),
    );
    const processes = (beats ?? []).map(processOf);
    const replicaLagMs = lag?.value ?? null;
    const { replicas } = servers.database;
    const unused = replicas.length > 1 ? replicas.filter(({ isUp, isBehind }) => !isUp || isBehind) : [];
    return {
      at: new Date().toISOString(),
      ...problemsOf({
        unused: unused.map(({ host }) => host),
        servers: shown,
        domains,
        replicaLagMs,
        processes,
        stalled: stalledOf(domains),
        knowsProcesses: beats !== undefined,
      }),
      servers: [...shown],
      domains,
      secondsToDrain: largest(domains.map((domain) => domain.secondsToDrain)),
      replicaLagMs,
      hops: hopsOf(alive),
      processes,
      deadLetters: letters?.value ?? null,
      lastErrors: errorsOf(beats ?? []),
    };
  }

  return { read };
}

function serverStatus(name: ServerStatus["name"], probed: Probed<unknown>): ServerStatus {
  return { name, state: probed === undefined ? "down" : "up", latencyMs: rounded(probed?.tookMs) };
}

/** One entry, or of a cluster one for each master. */
function redisStatus(masters: readonly RedisMaster[], probed: Probed<unknown>): readonly ServerStatus[] {
  if (masters.length === 0) return [serverStatus("redis", probed)];
  return masters.map(({ node, latencyMs }) => ({
    ...serverStatus("redis", latencyMs === undefined ? undefined : { value: node, tookMs: latencyMs }),
    node,
  }));
}

function brokerStatus(state: Publisher["state"], depths: readonly Probed<Depths>[]): ServerStatus {
  const times = depths.flatMap((probed) => (probed === undefined ? [] : [probed.tookMs]));
  if (state === "up" && times.length === 0) return { name: "broker", state: "down", latencyMs: null };
  return { name: "broker", state, latencyMs: state === "up" ? rounded(Math.min(...times)) : null };
}

async function depthsOf(publisher: StatusServers["publisher"], ingest: string, rank: string): Promise<Depths> {
  const [before, after] = await Promise.all([publisher.queueDepth(ingest), publisher.queueDepth(rank)]);
  if (before === undefined || after === undefined) throw new Error("no response");
  return { ingest: before, rank: after };
}

function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length < values.length ? null : Math.max(0, ...known);
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms * 100) / 100;
}

const isAlive = ({ ageMs }: FoundHeartbeat): boolean => ageMs < goneAfterMs;

function processOf(beat: FoundHeartbeat): ProcessStatus {
  const { app, host, pid, threads, clockOffsetMs = null } = beat;
  const [startedAt, heartbeatAt] = [new Date(beat.startedAt).toISOString(), new Date(beat.at).toISOString()];
  return { app, host, pid, state: isAlive(beat) ? "up" : "gone", startedAt, heartbeatAt, clockOffsetMs, threads };
}

/** The times of all processes together, in the order of the hops. Hops without batches are left out. */
function hopsOf(beats: readonly Heartbeat[]): HopStatus[] {
  const hops = addHops(beats.flatMap((beat) => beat.hops));
  hops.sort((a, b) => HopName.enum.indexOf(a.hop) - HopName.enum.indexOf(b.hop));
  return hops.flatMap(({ hop: name, times }) => {
    const batches = countOf(times);
    return batches === 0 ? [] : [{ name, batches, p50Ms: quantileOf(times, 0.5), p99Ms: quantileOf(times, 0.99) }];
  });
}

/** The newest lines of all logs, newest first. Equal lines of one thread are one entry with their number. */
export function errorsOf(beats: readonly Heartbeat[]): LoggedError[] {
  const lines = beats
    .flatMap(({ app, host, pid, problems }) => problems.map((problem) => ({ ...problem, app, host, pid })))
    .toSorted((a, b) => (a.at < b.at ? 1 : -1));
  const equal = Map.groupBy(lines, ({ app, host, pid, thread, level, message }) =>
    JSON.stringify([app, host, pid, thread, level, message]),
  );
  return [...equal.values()]
    .flatMap(([newest, ...more]) => (newest === undefined ? [] : [{ ...newest, times: 1 + more.length }]))
    .slice(0, errorsMax);
}
