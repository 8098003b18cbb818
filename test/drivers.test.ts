import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

// A package that does not name a driver cannot import it: pnpm links nothing else, and `turbo boundaries` says so.
test.each([
  ["amqplib", ["packages/broker"]],
  ["mysql2", ["packages/database"]],
  // The tests of the rankings look at the boards from outside.
  ["ioredis", ["packages/redis", "test"]],
])("%s is a dependency of %j alone", (driver, owners) => {
  const packages = globSync(["package.json", "*/package.json", "{apps,packages,infra}/*/package.json"], { cwd: root });
  const users = packages.filter((file) => readFileSync(join(root, file), "utf8").includes(`"${driver}":`));
  expect(users.map((file) => join(file, "..")).toSorted()).toEqual(owners);
});
