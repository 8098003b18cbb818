import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { listen } from "@tally/local/at-end";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

test("the accounts, rights and policies of definitions.json are sent to the management API", async () => {
  const puts = new Map<string | undefined, unknown>();
  const { url } = await listen(async (request, response) => {
    puts.set(request.url, await json(request));
    response.end();
  });
  const text = read("create-broker-accounts.ts");
  const words = ["admin", "maintenance", "writer", "ranker", "gateway", "namespace"].map((word) => [
    `FILL_${word.toUpperCase()}`,
    word,
  ]);
  const env = {
    ...Object.fromEntries(words),
    DEFINITIONS: read("../../../rabbitmq/definitions.json"),
    MANAGEMENT_URL: url,
  };
  await promisify(execFile)(process.execPath, ["--input-type=module-typescript", "--eval", text], { env });
  expect(puts.size).toBe(4 + 5 + 1);
  expect(puts.get("/api/users/tally_ranker")).toEqual({ password: "ranker", tags: "" });
  expect(puts.get("/api/permissions/%2F/tally_ranker")).toMatchObject({ read: String.raw`^namespace\.rank\.` });
  expect(puts.get("/api/policies/%2F/tally_subscribers")).toEqual({
    pattern: String.raw`^namespace\.purchases\.feed\.`,
    "apply-to": "queues",
    definition: { "max-length-bytes": 1e9 },
  });
});
