import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

test("the accounts, rights and policies of definitions.json are sent to the management API", async () => {
  const puts = new Map<string | undefined, unknown>();
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      puts.set(request.url, body);
      return response.end();
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const text = read("create-broker-accounts.ts");
  const words = ["admin", "maintenance", "writer", "ranker", "gateway", "namespace"].map((word) => [
    `FILL_${word.toUpperCase()}`,
    word,
  ]);
  const env = {
    ...Object.fromEntries(words),
    DEFINITIONS: read("../../../rabbitmq/definitions.json"),
    MANAGEMENT_URL: `http://127.0.0.1:${Object(server.address()).port}`,
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
