import { onLauncherGone } from "./on-launcher-gone.ts";

// Stays until its launcher is gone, then says so and ends.
const stay = setInterval(() => undefined, 1000);
onLauncherGone(() => {
  process.stdout.write("gone\n");
  clearInterval(stay);
});
process.stdout.write("watching\n");
