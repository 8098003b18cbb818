import { onLauncherGone } from "./processes.ts";

// Runs until its launcher has ended, then prints a line and ends.
const stay = setInterval(() => undefined, 1000);
onLauncherGone(() => {
  process.stdout.write("gone\n");
  clearInterval(stay);
});
process.stdout.write("watching\n");
