import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/* What a test has until it ends. */

/** A server on a free port of loopback. */
export async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a port was expected");
  return { server, url: `http://127.0.0.1:${address.port}` };
}

/** A new directory. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "tally-bench-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
