import { createServer } from "node:net";

/*
 * Loaded into a gateway by `node --import`. Measures the longest turn of its event loop, in CPU time of the main
 * thread, so that other processes on the same cores do not count. A client of LOOP_WORK_SOCKET reads the longest turn
 * since the last client, and the memory of the process.
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

const scanned = Buffer.alloc(1024 * 1024, 0x5b);

/** The CPU time of a fixed scan of bytes, the shortest of three: 16 ms on idle cores of the machine that the limits
 * were chosen on. */
function scanMs(): number {
  let shortestMs = Infinity;
  for (let round = 0; round < 3; round++) {
    const before = cpuMs();
    let found = 0;
    // An index: an iterator takes six times as long.
    for (let i = 0; i < 16 * scanned.length; i++) found += scanned[i % scanned.length] === 0x5b ? 2 : 1;
    if (found > 0) shortestMs = Math.min(shortestMs, cpuMs() - before);
  }
  return shortestMs;
}
// Compiled before the first measurement.
for (let round = 0; round < 5; round++) scanMs();
last = cpuMs();

createServer((reader) => {
  const own = { longestMs, scanMs: scanMs(), residentBytes: process.memoryUsage.rss() };
  last = cpuMs();
  longestMs = 0;
  reader.end(JSON.stringify(own));
})
  .listen(process.env["LOOP_WORK_SOCKET"])
  .unref();
