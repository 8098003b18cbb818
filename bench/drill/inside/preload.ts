import { subscribe } from "node:diagnostics_channel";
import { readFileSync, renameSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { BroadcastChannel, threadId } from "node:worker_threads";
import { crashPoints } from "./crash-points.ts";
import { sabotages } from "./sabotages.ts";

/*
 * Runs before an app, in each of its threads (`node --import`): subscribes to the crash points of the app, loads the
 * substitutes of a sabotage, and waits for orders. An order is a file, `<process>.order`, with a crash point and how
 * often it is passed first, with "thread", or with "clock" and the ms by which dates are shifted. The thread that
 * executes it renames it to `<process>.done` before, so that it is executed once. Parameters are in the URL of this
 * module, because the environment of threads is empty.
 */

const parameters = new URL(import.meta.url).searchParams;
const app = parameters.get("app");
const order = join(parameters.get("directory") ?? "", `${parameters.get("process")}.order`);
const done = order.replace(/order$/, "done");
const lookEveryMs = 20;

const sabotage = Object.entries(sabotages).find(([name]) => name === parameters.get("sabotage"))?.[1] ?? [];
for (const { specifier, module } of sabotage.filter((one) => one.app === app)) {
  registerHooks({
    resolve: (wanted, context, next) =>
      next(wanted === specifier && context.parentURL !== module.href ? module.href : wanted, context),
  });
}

// Dates and Date.now() in this thread, not performance.now() and timers. As a proxy: `instanceof Date` stays true.
let shiftMs = 0;
const { now } = Date;
Date.now = () => now() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (date, given, made) => Reflect.construct(date, given.length === 0 ? [date.now()] : given, made),
});
const clock = new BroadcastChannel("drill clock").unref();
clock.addEventListener("message", (event) => {
  if ("data" in event) shiftMs = Number(event.data);
});

let armed: { readonly point: string; passes: number } | undefined;

for (const [point, { channel, turns }] of Object.entries(crashPoints)) {
  if (!point.startsWith(`${app}.`)) continue;
  subscribe(channel, () => {
    if (armed?.point === point && armed.passes-- <= 0) killAfter(turns);
  });
}

function killAfter(turns: number): void {
  if (turns > 0) setImmediate(() => killAfter(turns - 1));
  else if (takeOrder()) process.kill(process.pid, "SIGKILL");
}

setInterval(() => {
  let text: string;
  try {
    text = readFileSync(order, "utf8");
  } catch {
    armed = undefined; // no order, or another thread has taken it
    return;
  }
  const [point = "", passes = "0"] = text.split(" ");
  // No further code of the thread runs, whatever it is doing.
  if (point === "thread" && threadId !== 0 && takeOrder()) process.exit(1);
  if (point === "clock" && threadId === 0 && takeOrder()) {
    shiftMs = Number(passes);
    // Not the postMessage of a window.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    clock.postMessage(shiftMs);
  }
  if (armed?.point !== point) armed = { point, passes: Number(passes) };
}, lookEveryMs).unref();

/** False when another thread was faster. */
function takeOrder(): boolean {
  try {
    renameSync(order, done);
    return true;
  } catch {
    return false; // the order was taken: the drill or another thread removed it
  }
}
