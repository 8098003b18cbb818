import { Command } from "commander";
import { layOut } from "./lay-out.ts";

/** tally new-domain */
export function newDomainCommand(): Command {
  return new Command("new-domain")
    .description(
      "lays out the folder of a new domain in this checkout; it works at once, and docs/new-domain.md leads on",
    )
    .argument("<name>", "lower case, with dashes between words")
    .action(async (name: string) => {
      process.stdout.write(`${toldOf(name, await layOut(name))}\n`);
    });
}

function toldOf(name: string, files: readonly string[]): string {
  return [
    `packages/domains/src/${name}: a domain that counts points of users`,
    ...files.map((file) => `  ${file}`),
    "packages/domains/src/domains.ts and workloads.ts: list it",
    "",
    "It works as it is. Make it yours in the order of these files; docs/new-domain.md does it with an example. Then",
    "  pnpm check    types, lint and format",
    "  pnpm test     rank.test.ts beside all others",
    `  pnpm dev      makes its table and serves it: POST /${name}/users/17 {"points":3}, GET /${name}/top`,
    "A table that was made once is changed by a further file, migrations/002-….sql.",
  ].join("\n");
}
