/* A service in a separate process; the first argument is its behaviour. An interval keeps the event loop alive. */
import { setTimeout as after } from "node:timers/promises";
import { readConfig } from "./config.ts";
import { createLogger } from "./create-logger.ts";
import { runService } from "./run-service.ts";
import { integer, url } from "./setting.ts";

const [behaviour = "works"] = process.argv.slice(2);
const log = createLogger({ name: "fixture", level: "info" });
const busy = setInterval(() => {}, 1000);

const stops: Record<string, () => Promise<void>> = {
  "hangs when stopping": () => new Promise(() => {}),
  "fails when stopping": () => Promise.reject(new Error("cannot close")),
};

await runService({
  name: "fixture",
  log,
  stopWithinMs: 1000,
  async start(stopRequested) {
    switch (behaviour) {
      case "has no configuration":
        readConfig({ port: integer("NO_PORT", "", { min: 0, max: 1 }), url: url("NO_URL", "", { protocols: ["a:"] }) });
        break;
      case "cannot start":
        throw new Error("nothing to start", { cause: new Error("its reason") });
      case "starts forever":
        log.info("starting");
        blockForMs(300); // the test's signal arrives during the first step of the start
        await after(60_000, undefined, { signal: stopRequested });
        break;
      case "throws later":
        setTimeout(() => {
          throw new Error("thrown later");
        }, 20);
        break;
      case "rejects later":
        setTimeout(() => void Promise.reject(new Error("rejected later")), 20);
        break;
      default:
    }
    return {
      stop:
        stops[behaviour] ??
        (async () => {
          await after(100);
          log.info("the work is done");
          clearInterval(busy);
        }),
    };
  },
});

function blockForMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
