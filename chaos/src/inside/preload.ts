import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { registerSourceEdits, type SourceEdit } from "@tally/local/source-edits";
import { crashPoints } from "./crash-points.ts";
import { sabotages } from "./sabotages.ts";

/*
 * Runs before an app, in its main thread and in each of its threads (`node --import`): puts the crash points and the sabotage of this
 * run into the text of its modules, and waits for orders. An order is a file, `<process>.order`: a crash point and how often it is
 * passed before, or "thread". Whoever carries it out renames it to `<process>.done` first: it happens once.
 * All it is told stands in its own URL, because the environment of threads is empty.
 */

const told = new URL(import.meta.url).searchParams;
const order = join(told.get("directory") ?? "", `${told.get("process")}.order`);
const done = order.replace(/order$/, "done");
const lookEveryMs = 20;

const sabotage = Object.entries(sabotages).find(([name]) => name === told.get("sabotage"))?.[1] ?? [];
const edits: readonly SourceEdit[] = [...Object.values(crashPoints).filter((edit) => edit !== undefined), ...sabotage];
const root = join(import.meta.dirname, "..", "..", "..");

registerSourceEdits(root, told.get("app"), edits);

let armed: { readonly point: string; passes: number } | undefined;

declare global {
  var tallyDrill: { reach(point: string): void };
}

globalThis.tallyDrill = {
  reach(point) {
    if (armed?.point === point && armed.passes-- <= 0 && takeOrder()) process.kill(process.pid, "SIGKILL");
  },
};

setInterval(() => {
  if (!existsSync(order)) {
    armed = undefined;
    return;
  }
  const [point = "", passes = "0"] = readFileSync(order, "utf8").split(" ");
  // A thread ends in the middle of whatever it does: no code of ours runs any more.
  if (point === "thread" && threadId !== 0 && takeOrder()) process.exit(1);
  if (armed?.point !== point) armed = { point, passes: Number(passes) };
}, lookEveryMs).unref();

/** False when another thread was faster. */
function takeOrder(): boolean {
  try {
    renameSync(order, done);
    return true;
  } catch {
    return false; // it is gone: exactly that is asked
  }
}
