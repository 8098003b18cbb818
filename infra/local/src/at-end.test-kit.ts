import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, onTestFinished } from "vitest";
import { fileOf, readProcesses } from "./process/processes.ts";

// Ctrl-C reaches the process of each test file too. Listeners of "exit" stop its servers, and a signal does not call them.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => {
    process.emit("exit", 1);
    process.kill(process.pid, signal);
  });

/** Runs `work` at the end of the test, outside of tests at the end of the file; what was registered last runs first.
 * Not for hooks. */
export function atEnd(work: () => unknown): void {
  if (expect.getState().currentTestName === undefined) afterAll(async () => void (await work()));
  else onTestFinished(async () => void (await work()));
}

/** Waits from 23:58, or `beforeMs` before midnight, to 00:02 UTC, so that what is of today stays of today, and a minute
 * ago was today too. Not inside a test, whose limit the wait may use up; in a hook only with the default. */
export async function awayFromMidnight(beforeMs = 120_000): Promise<void> {
  const leftMs = 120_000 + beforeMs - ((Date.now() + beforeMs) % 86_400_000);
  if (leftMs > 0) await delay(leftMs);
}

/** A new directory, which is removed with the test or the file. */
export async function temporaryDirectory(parent = tmpdir()): Promise<string> {
  const directory = await mkdtemp(join(parent, "tally-test-"));
  atEnd(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

/** The pids of the processes whose command line or environment contains a text. Processes of other users may be
 * missing. */
export function processesNaming(text: string): readonly number[] {
  const pids = readProcesses().map(({ pid }) => pid);
  return pids.filter((pid) => (["cmdline", "environ"] as const).some((file) => fileOf(pid, file)?.includes(text)));
}

/** Starts a server on a free port until the end of the test or of the file. */
export async function listen(respond: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => void respond(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` };
}
