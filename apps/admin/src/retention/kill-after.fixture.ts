import { subscribe } from "node:diagnostics_channel";

// Loaded before the command (`node --import`): kills it after its first changes, as many as KILL_AFTER.
// CLOCK_AHEAD_MS: how far its clock is ahead.
const clock = Date.now;
Date.now = () => clock() + Number(process.env["CLOCK_AHEAD_MS"]);
let left = Number(process.env["KILL_AFTER"]);
subscribe("tally:retention:changed", (what) => {
  if (left-- > 0) return;
  process.stdout.write(`killed after: ${String(what)}\n`);
  process.kill(process.pid, "SIGKILL");
});
