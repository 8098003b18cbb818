import { Cluster } from "ioredis";

/*
 * Loaded into `tally rebuild` by `node --import`: kills the master KILLED_PID just before the shard KILLED_SHARD is
 * switched to the new generation. The others are switched at the same time.
 */

type DefineCommand = Cluster["defineCommand"];

// oxlint-disable-next-line typescript/unbound-method -- called with its own below
const { defineCommand } = Cluster.prototype;

Cluster.prototype.defineCommand = function (this: Cluster, ...[name, definition]: Parameters<DefineCommand>) {
  Reflect.apply(defineCommand, this, [name, definition]);
  if (name !== "tallySwitch") return;
  const call: unknown = Reflect.get(this, name);
  if (typeof call !== "function") throw new TypeError("there is no script tallySwitch");
  Object.defineProperty(this, name, {
    value: (...args: readonly unknown[]): unknown => {
      if (args[0] === process.env["KILLED_SHARD"] && args.at(-1) === "switch")
        process.kill(Number(process.env["KILLED_PID"]), "SIGKILL");
      return Reflect.apply(call, this, args);
    },
    configurable: true,
  });
};
