import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tally/local/at-end";
import { expect, test } from "vitest";
import { writeCompleteFile } from "./export-events.ts";

test("the partial file of a killed export does not stop the next one, which may have its process id", async () => {
  const folder = await temporaryDirectory();
  const path = join(folder, "sales.ndjson");
  await writeFile(`${path}.${process.pid}.partial`, "left");
  await writeCompleteFile(path, async (stream) => stream.write("complete"));
  expect(await readFile(path, "utf8")).toBe("complete");
});
