import { readFileSync } from "node:fs";
import { join } from "node:path";
import { firstSteps } from "@tally/local";
import { expect, test } from "vitest";
import { runProgram } from "./run-program.ts";
import { startSystem } from "./start-system.ts";

const readme = readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8");
const [, firstCommands = ""] = /^```console\n([\s\S]*?)^```$/m.exec(readme) ?? [];
const system = await startSystem();

/** The commands of a console block, without what they print. A command goes on after a line that ends with a backslash. */
function commandsOf(block: string): string {
  const commands = block.match(/^\$ (?:.*\\\n)*.*$/gm) ?? [];
  return commands.map((command) => command.slice(2)).join("\n");
}

test("the README's first steps, pasted at once, show the purchase in the ranking, however late the ranker is", async () => {
  const commands = commandsOf(firstCommands).replaceAll("http://127.0.0.1:8080", system.url);
  system.ranker.kill("SIGSTOP");
  const running = runProgram("bash", ["-c", commands]);
  // The ranking is read before it can have the purchase.
  setTimeout(() => system.ranker.kill("SIGCONT"), 1500);
  const { exitCode, output } = await running;
  expect(exitCode).toBe(0);
  expect(output).toContain("HTTP/1.1 201 Created");
  expect(output).toMatch(/^tally-event-id: [0-9a-f-]{36}\r$/m);
  expect(output.trim().split("\n").at(-1)).toBe('{"stores":[{"itemID":85571,"numberOfItems":3}]}');
});

test("`pnpm dev` and the README name the same first steps", () => {
  const unindented = (text: string): string => text.replaceAll(/^ +/gm, "");
  expect(unindented(commandsOf(firstCommands))).toBe(unindented(firstSteps("http://127.0.0.1:8080").join("\n")));
});
