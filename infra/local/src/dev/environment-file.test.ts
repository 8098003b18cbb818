import { chmodSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../at-end.test-kit.ts";
import { environmentFile } from "./environment-file.ts";
import { runCommand } from "../process/run-command.ts";

const newFile = async () => join(await temporaryDirectory(), "dev", "environment");

test("node reads back what was written, with any characters of a URL; only the owner can read the file, also when others could read an older one", async () => {
  const file = await newFile();
  const variables = { AMQP_URL: 'amqp://u:p#$a"b@h:1/%2F?x=1,amqp://h:2', TALLY_URL: "http://127.0.0.1:8080" };
  const environment = environmentFile(file);
  environment.write({ AMQP_URL: "old" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  chmodSync(file, 0o644);
  environment.write(variables);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const script = "process.stdout.write(JSON.stringify([process.env.AMQP_URL, process.env.TALLY_URL]))";
  const { output } = await runCommand(process.execPath, [`--env-file=${file}`, "-e", script], { environment: {} });
  expect(JSON.parse(output)).toEqual(Object.values(variables));
  environment.remove();
  expect(existsSync(file)).toBe(false);
  environment.remove();
});

test("a value that a line cannot hold is rejected", async () => {
  const file = environmentFile(await newFile());
  expect(() => file.write({ X: "a\nb" })).toThrow("X holds");
});
