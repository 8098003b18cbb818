import { Command } from "commander";
import { withExitCodes } from "../exit-codes.ts";
import { jsonFlag, print, type JsonFlag } from "../flags.ts";
import { layOut } from "./lay-out.ts";

/** tally new-domain */
export function newDomainCommand(): Command {
  const command = new Command("new-domain")
    .description(
      "creates the folder of a new domain in this checkout; it works at once; docs/new-domain.md explains its files",
    )
    .argument("<name>", "lower case, with dashes between words")
    .addOption(jsonFlag)
    .action(async (name: string, flags: JsonFlag) => {
      const files = await layOut(name);
      print(flags, { name, files }, `${textOf(name, files)}\n`);
    });
  return withExitCodes(command, { 1: "the list of domains has another form" });
}

function textOf(name: string, files: readonly string[]): string {
  return [
    `packages/domains/src/${name}: cars that enter garages`,
    ...files.map((file) => `  ${file}`),
    "packages/domains/src/domains.ts and workloads.ts: list it",
    "",
    "It works as it is. Change the files in this order; docs/new-domain.md explains each of them. Then",
    "  pnpm docs:http    writes its routes to docs/http.md and docs/openapi.json",
    "  pnpm check    types, lint and format",
    "  pnpm test     all tests, with rank.test.ts",
    `  pnpm dev      creates its table and serves it: POST /${name}/garages/5/cars {"plate":"W-1"}`,
    "To change the table later, add a file migrations/002-….sql.",
  ].join("\n");
}
