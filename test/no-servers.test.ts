import { join } from "node:path";
import { expect, test } from "vitest";
import { root, startProcess } from "./kit/programs.ts";

const commands = ["infra/local/src/dev/main.ts", "bench/measure/main.ts", "bench/drill/main.ts"];

test.each(
  commands.flatMap((command) => [
    [command, "docker", "Docker cannot be used: the program docker is not installed."],
    [command, "environment", /^The environment names no servers: AMQP_URL, .* are not set\.$/],
  ]),
)("%s --services %s without these ends with 2 and one sentence", async (command = "", source, sentence) => {
  const run = startProcess(process.execPath, [join(root, command), "--services", source], { PATH: "/nowhere" });
  expect([await run.ended, run.output()]).toEqual([2, expect.not.stringContaining("    at ")]);
  const said = run.output().trim().split("\n");
  expect(said.filter((line) => !/^(tally: |seed )/.test(line))).toEqual([expect.stringMatching(sentence)]);
});
