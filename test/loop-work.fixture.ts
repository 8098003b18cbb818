import { createServer } from "node:net";

/*
 * Brought into a gateway by `node --import`: measures for how long its event loop works without a turn, in CPU time of the main thread, so that other
 * processes on the same cores do not count. Whoever connects to LOOP_WORK_SOCKET reads the longest since the last reader, and the
 * memory of the process.
 */

const everyMs = 5;
const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let last = cpuMs();
let longestMs = 0;

setInterval(() => {
  const now = cpuMs();
  longestMs = Math.max(longestMs, now - last);
  last = now;
}, everyMs).unref();

createServer((reader) => {
  reader.end(JSON.stringify({ longestMs, residentBytes: process.memoryUsage.rss() }));
  longestMs = 0;
})
  .listen(process.env["LOOP_WORK_SOCKET"])
  .unref();
