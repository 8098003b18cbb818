import { subscribe } from "node:diagnostics_channel";

// Loaded before the command (`node --import`): kills it after its first changes, as many as KILL_AFTER.
// CLOCK: the time at which its clock stands still, in ms since 1970.
Date.now = () => Number(process.env["CLOCK"]);
let left = Number(process.env["KILL_AFTER"]);
subscribe("tally:retention:changed", (what) => {
  if (left-- > 0) return;
  process.stdout.write(`killed after: ${String(what)}\n`);
  process.kill(process.pid, "SIGKILL");
});
