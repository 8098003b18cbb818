import { createServer } from "node:http";
import { parentPort } from "node:worker_threads";

/* A thread with a server that accepts each POST after 50 ms: 64 connections leave a slow machine idle. Sends its port. */

const server = createServer((request, response) => {
  request.resume();
  setTimeout(() => response.writeHead(201, { "tally-event-id": "01a1fb30-2980-71ee-89cd-4f71757df440" }).end(), 50);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
  parentPort?.postMessage(typeof address === "object" ? address?.port : undefined);
});
