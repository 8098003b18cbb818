import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startScriptedServer } from "./scripted-server.test-kit.ts";
import { temporaryDirectory } from "./temporary-directory.test-kit.ts";

const run = promisify(execFile);
const folder = join(import.meta.dirname, "..");

// Checked without the types of Node. An unknown path would not be an error if the types were lost.
const typed = `
  import { createTallyClient } from "@tally/client";
  const tally = createTallyClient({ baseUrl: "https://tally.example.com" });
  const { data } = await tally.GET("/stores/{storeID}/top-items", { params: { path: { storeID: 7 } } });
  export const quantity: number | undefined = data?.items.map((item) => item.quantity)[0];
  // @ts-expect-error: there is no such path.
  export const unknown = tally.GET("/nothing");
`;

test("the built package is JavaScript that delivers purchases, with types for TypeScript", async () => {
  const { url, received } = await startScriptedServer(() => ({
    status: 201,
    body: { accepted: 1, refused: 0, results: [{ index: 0, status: 201, id: "a" }] },
  }));
  const directory = await temporaryDirectory();
  // As in the node_modules of a program, from which Node reads JavaScript only.
  const home = join(directory, "node_modules", "@tally", "client");
  await mkdir(home, { recursive: true });
  const library = join("node_modules", "openapi-fetch");
  await symlink(join(folder, library), join(directory, library));
  await run("tsc", ["-p", "tsconfig.build.json", "--outDir", join(home, "dist")], { cwd: folder });
  const { name, type, publishConfig } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  await writeFile(join(home, "package.json"), JSON.stringify({ name, type, ...publishConfig }));
  await cp(join(folder, "examples", "till.ts"), join(directory, "till.ts"));

  await writeFile(join(directory, "typed.mts"), typed);
  const flags = ["--noEmit", "--strict", "--module", "nodenext", "--lib", "es2024,dom", "--types", ""];
  await run("tsc", [...flags, "typed.mts"], { cwd: directory });

  const till = run(process.execPath, ["till.ts", "till.ndjson"], { cwd: directory, env: { TALLY_URL: url } });
  till.child.stdin?.end('{"storeID":7,"custID":1,"date":"20261120","items":[]}\n');
  expect((await till).stdout).toMatch(/^kept .*\nall delivered\n$/);
  expect(received).toHaveLength(1);
});
