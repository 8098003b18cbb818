import { readFileSync } from "node:fs";
import { configTable } from "@tally/runtime";
import { expect, test } from "vitest";
import { commandTable } from "./exit-codes.ts";
import { gatewaySettings } from "./gateway/gateway-flags.ts";
import { tallyProgram } from "./program.ts";

const document = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8").replaceAll(/ +/g, " ");

test("docs/operations.md lists every command with its purpose and its exit codes, and no other", () => {
  const rows = commandTable(tallyProgram());
  for (const row of rows) expect(document).toContain(row.replaceAll(/ +/g, " "));
  const section = /\n## Commands\n[^]*?\n## /.exec(document)?.[0] ?? "";
  const listed = section.split("\n").filter((line) => /^\| `[a-z]/.test(line));
  expect(listed).toHaveLength(rows.length);
});

test("docs/operations.md lists every setting of the commands that use a gateway", () => {
  for (const row of configTable(gatewaySettings)) expect(document).toContain(row);
});

test("the help of every command names its exit codes", () => {
  for (const command of tallyProgram().commands) {
    let help = "";
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    if (command.commands.length > 0 && command.name() !== "send") continue;
    expect(help).toContain("Exit code: 0 done");
  }
});
