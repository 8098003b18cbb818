import { setTimeout as delay } from "node:timers/promises";
import { domains } from "@tally/domains";
import { connectHeartbeats, type Heartbeats, StatusReader, type Status } from "@tally/telemetry";
import { numberFlag } from "@tally/runtime/flag-values";
import { Command, Option } from "commander";
import { exitCodes, withExitCodes, type ExitCode } from "../exit-codes.ts";
import { jsonFlag, print, type JsonFlag } from "../flags.ts";
import { withBroker, withDatabase } from "../open-servers.ts";
import { statusText } from "./status-text.ts";

interface StatusFlags extends JsonFlag {
  readonly watch?: number;
}

// Servers that are not connected by then are reported as down.
const connectedWithinMs = 2000;
const pollEveryMs = 20;
const clearScreen = "\u001B[H\u001B[J";

const everySeconds = numberFlag("a number of seconds from 0.2 to 3600", (value) => value >= 0.2 && value <= 3600);

/** tally status */
export function statusCommand(): Command {
  const command = new Command("status")
    .description("shows whether the system is healthy and how far behind it is: servers, queues, processes, errors")
    .addOption(
      new Option("--watch [seconds]", "repeat every second, or after this many seconds, until Ctrl-C")
        .argParser(everySeconds)
        .preset("1"),
    )
    .addOption(jsonFlag);
  withExitCodes(command, {
    1: "events wait, nothing progresses, or a process is gone",
    3: "a server is down; the rest is shown",
  });
  return command.action((flags: StatusFlags) =>
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
    const wanted = { name: "status", domains: names, withinMs: connectedWithinMs };
    return withBroker({ config, log }, wanted, async (publisher) => {
      const heartbeats = connectHeartbeats({ url, namespace, log });
      try {
        await Promise.all([connected(heartbeats), database.ping()]);
        return await use(new StatusReader({ database, publisher, heartbeats, namespace, domains: names }));
      } finally {
        await heartbeats.stop();
      }
    });
    // The status itself says which server is down.
  }, "silent");
}

async function connected(heartbeats: Heartbeats): Promise<void> {
  const deadline = performance.now() + connectedWithinMs;
  while ((await heartbeats.read()) === undefined && performance.now() < deadline) await delay(pollEveryMs);
}

function exitCodeOf({ state, servers }: Status): ExitCode {
  if (servers.some((server) => server.state === "down")) return exitCodes.unreachable;
  return state === "ok" ? exitCodes.ok : exitCodes.finding;
}
