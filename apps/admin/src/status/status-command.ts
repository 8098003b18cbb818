import { setTimeout as delay } from "node:timers/promises";
import { domains } from "@tally/domains";
import { connectHeartbeats, statusReader } from "@tally/telemetry";
import type { Heartbeats, Status, StatusReader } from "@tally/telemetry";
import type { DomainStatus, LoggedError, ProcessStatus, QueueStatus } from "@tally/telemetry";
import { numberFlag } from "@tally/runtime/flag-values";
import { Option, type Command } from "commander";
import { exitCodes, newCommand, type ExitCode } from "../command.ts";
import { jsonFlag, print, type JsonFlag } from "../flags.ts";
import { withBroker, withDatabase } from "../open-servers.ts";
import { table } from "../table.ts";

interface StatusFlags extends JsonFlag {
  readonly watch?: number;
}

// A server that is not connected by then, or then does not respond by then, is reported as down. A new process on a busy
// machine takes seconds to connect.
const withinMs = 5000;
const pollEveryMs = 20;
const clearScreen = "\u001B[H\u001B[J";

const everySeconds = numberFlag("a number of seconds from 0.2 to 3600", (value) => value >= 0.2 && value <= 3600);

/** tally status */
export function statusCommand(): Command {
  return newCommand("status", {
    1: "events wait, nothing progresses, a process is gone, or its clock is wrong",
    3: "a server is down; the rest is shown",
  })
    .description("shows whether the system is healthy and how far behind it is: servers, queues, processes, errors")
    .addOption(
      new Option("--watch [seconds]", "repeat every second, or after this many seconds, until Ctrl-C")
        .argParser(everySeconds)
        .preset("1"),
    )
    .addOption(jsonFlag)
    .action((flags: StatusFlags) =>
      withReader(async (reader) => {
        if (flags.watch !== undefined) return watch(reader, flags, flags.watch * 1000);
        const status = await reader.read();
        print(flags, status, statusText(status));
        process.exitCode = exitCodeOf(status);
      }),
    );
}

/** Prints a status again and again: on a terminal on one screen, with --json one JSON text a line. */
async function watch(reader: StatusReader, { json }: JsonFlag, everyMs: number): Promise<never> {
  for (;;) {
    const status = await reader.read();
    const screen = `${process.stdout.isTTY ? clearScreen : ""}${statusText(status)}`;
    process.stdout.write(json === true ? `${JSON.stringify(status)}\n` : screen);
    await delay(everyMs);
  }
}

function withReader<T>(use: (reader: StatusReader) => Promise<T>): Promise<T> {
  const names = domains.map(({ name }) => name);
  return withDatabase(({ config, log, database }) => {
    const { namespace, redisUrl: url } = config;
    const wanted = { name: "status", domains: names, withinMs };
    return withBroker({ config, log }, wanted, async (publisher, fault) => {
      const heartbeats = connectHeartbeats({ url, namespace, log });
      try {
        await Promise.all([connected(heartbeats), database.responds("write"), database.responds("read")]);
        const { read } = statusReader({ database, publisher, heartbeats, namespace, domains: names, withinMs });
        if (fault === undefined) return await use({ read });
        return await use({
          async read() {
            const status = await read();
            // Instead of "the broker does not respond": the broker is the first server.
            return { ...status, problems: status.problems.with(0, fault) };
          },
        });
      } finally {
        await heartbeats.stop();
      }
    });
    // The status itself says which server is down.
  }, "silent");
}

async function connected(heartbeats: Heartbeats): Promise<void> {
  const deadline = performance.now() + withinMs;
  while ((await heartbeats.read()) === undefined && performance.now() < deadline) await delay(pollEveryMs);
}

function exitCodeOf({ state, servers }: Status): ExitCode {
  if (servers.some((server) => server.state === "down")) return exitCodes.unreachable;
  return state === "ok" ? exitCodes.ok : exitCodes.finding;
}

const shownErrors = 5;
const messageCharactersMax = 120;
const unknown = "?";

/** A status on one screen. Times of day are UTC. */
export function statusText(status: Status): string {
  const { state, problems, at, servers, domains: rows, hops, processes, lastErrors } = status;
  const knowsRows = servers.some((server) => server.name === "databaseWrite" && server.state === "up");
  return [
    `${state}  ${at}  ${summaryOf(status)}`,
    ...problems.map((problem) => `  ! ${problem}`),
    "",
    servers.map(serverText).join("   "),
    "",
    table(
      ["domain", "accepted/s", "stored/s", "ranked/s", "to store", "to rank", "drained in", "last stored"],
      rows.map((domain) => domainRow(domain, at, knowsRows ? "never" : unknown)),
    ),
    ...section(
      ["hop", "batches", "p50 ms", "p99 ms"],
      hops.map(({ name, batches, p50Ms, p99Ms }) => [name, String(batches), numberText(p50Ms), numberText(p99Ms)]),
    ),
    ...section(["process", "host", "pid", "state", "threads"], processes.map(processRow)),
    ...section(["last errors", "from", "level", "message"], lastErrors.slice(0, shownErrors).map(errorRow)),
    "",
  ].join("\n");
}

function serverText({ name, node, state, latencyMs }: Status["servers"][number]): string {
  return `${name}${node === undefined ? "" : ` ${node}`} ${state} ${numberText(latencyMs)} ms`;
}

function summaryOf({ secondsToDrain, replicaLagMs, deadLetters }: Status): string {
  return [
    `drained in ${secondsText(secondsToDrain)}`,
    `replica lag ${replicaLagMs === null ? unknown : `${numberText(replicaLagMs)} ms`}`,
    `open dead letters ${lettersText(deadLetters?.open)}`,
  ].join(", ");
}

// The status counts up to 10,000.
function lettersText(open: number | undefined): string {
  if (open === undefined) return unknown;
  return open < 10_000 ? String(open) : "10,000 or more";
}

function section(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : ["", table(head, rows)];
}

/** `without`: the text of a domain without a time of its last batch. */
function domainRow(domain: DomainStatus, at: string, without: string): readonly string[] {
  const { name, accepted, stored, ranked, queues, secondsToDrain, lastStoredAt } = domain;
  return [
    name,
    ...[accepted, stored, ranked].map(({ perSecond }) => numberText(perSecond)),
    queueText(queues.ingest),
    queueText(queues.rank),
    secondsText(secondsToDrain),
    lastStoredAt === null ? without : `${numberText((Date.parse(at) - Date.parse(lastStoredAt)) / 1000)} s ago`,
  ];
}

/** Events in batches, those that threads hold included. */
function queueText({ batches, held, events }: QueueStatus): string {
  if (batches === null) return unknown;
  const all = batches + (held ?? 0);
  return all === 0 ? "0" : `${numberText(events)} in ${all}`;
}

function processRow({ app, host, pid, state, threads }: ProcessStatus): readonly string[] {
  const states = Map.groupBy(threads, (thread) => thread.state);
  const texts = Array.from(states, ([one, of]) => `${of.length} ${one}`);
  const restarts = threads.reduce((sum, thread) => sum + thread.restarts, 0);
  return [app, host, String(pid), state, [...texts, ...(restarts === 0 ? [] : [`${restarts} restarts`])].join(", ")];
}

function errorRow({ at, app, host, pid, thread, level, message, times }: LoggedError): readonly string[] {
  const place = thread === null ? `${pid}` : `${pid}, thread ${thread}`;
  const line = message.replaceAll(/\s+/g, " ").slice(0, messageCharactersMax);
  return [
    at.slice(0, 19).replace("T", " "),
    `${app} ${host}:${place}`,
    level,
    times === 1 ? line : `${line} ×${times}`,
  ];
}

function secondsText(seconds: number | null): string {
  return seconds === null ? unknown : `${numberText(seconds)} s`;
}

/** Up to two digits after the point below 10. */
function numberText(value: number | null): string {
  if (value === null) return unknown;
  return value < 10 ? String(Math.round(value * 100) / 100) : String(Math.round(value));
}
