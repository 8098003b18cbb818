/* Logs in the main thread and two other threads in parallel, and ends each abruptly after its last line. */
import { once } from "node:events";
import { Worker, isMainThread, threadId } from "node:worker_threads";
import { createLogger } from "./create-logger.ts";

const log = createLogger({ name: "fixture", level: "info" });
const threads = isMainThread ? [1, 2].map(() => new Worker(new URL(import.meta.url))) : [];
const ended = Promise.all(threads.map((thread) => once(thread, "exit")));

for (let line = 0; line < 1000; line++) log.info({ thread: threadId, line }, "x".repeat(500));

await ended;
process.exit(0);
