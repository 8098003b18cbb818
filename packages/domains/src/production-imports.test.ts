import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..", "..");

// Prints the URL of each module that is loaded.
const preload = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
`)}`;

/** What a process loads from `packages/domains/src`. It has no configuration and no parent thread, so it exits after
 * its imports. */
async function loadedBy(entry: string): Promise<readonly string[]> {
  const args = ["--import", preload, join(root, entry)];
  const run = promisify(execFile)(process.execPath, args, { env: {} });
  const output = await run.then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  return output.split("\n").flatMap((url) => url.split("/packages/domains/src/")[1] ?? []);
}

const productionEntries = ["apps/gateway/src/main.ts", "apps/writer/src/thread.ts", "apps/ranker/src/thread.ts"];

test.each([...productionEntries, "apps/writer/src/main.ts", "apps/ranker/src/main.ts", "apps/admin/src/main.ts"])(
  "%s loads no workload",
  async (entry) => {
    const loaded = await loadedBy(entry);
    expect(loaded.filter((path) => /workload/.test(path))).toEqual([]);
    if (productionEntries.includes(entry)) expect(loaded).toContain("swipes/store.ts");
  },
);

test("the entry point of workloads loads them all", async () => {
  const loaded = await loadedBy("packages/domains/src/workloads.ts");
  expect(loaded).toEqual(expect.arrayContaining(["swipes/workload.ts", "workload.ts"]));
});
