import { execFileSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { RequestLog, requestLogHead } from "./request-log.ts";
import { loadOn, serverOf } from "./start-load.fixture.ts";

const request = { method: "GET", path: "/" } as const;
const reply = { name: "responded", status: 200, id: "", text: "", ms: 12.3456 } as const;

async function newFile(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "tally-requests-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return join(directory, "requests.csv");
}

test.each(["closed", "open"] as const)(
  "each request of each thread has one line with its start, method, latency and status: %s model",
  async (model) => {
    let n = 0;
    const server = await serverOf((incoming, response) => {
      incoming.resume();
      const outcome = n++ % 50;
      if (outcome === 0) response.destroy();
      // The response to 1 never comes.
      else if (outcome !== 1) response.writeHead(outcome === 2 ? 503 : incoming.method === "GET" ? 200 : 201).end();
    });
    const file = await newFile();
    await writeFile(file, requestLogHead);
    const until = { name: "amount", amount: 400 } as const;
    const phase = model === "closed" ? { model, until } : { model, until, perSecond: 400 };
    const plan = { connections: 40, readShare: 0.3, responseWithinMs: 3000 };
    const begunAt = performance.now();
    const result = await loadOn(server.url, plan, 2).run(phase, { requests: file });
    expect(result.requestLog).toEqual({ lines: 400, leftOut: 0, failure: null });
    const [head, ...lines] = (await readFile(file, "utf8")).trimEnd().split("\n");
    expect(head).toBe("start_ms,method,latency_ms,status");
    const all = lines.map((line) => line.split(","));
    const counts: Record<string, number> = {};
    for (const [start, method, latency, status = ""] of all) {
      counts[status] = (counts[status] ?? 0) + 1;
      // The clocks of two threads differ by less than 1 ms.
      expect(Number(start)).toBeGreaterThan(-1);
      expect(Number(start)).toBeLessThan(performance.now() - begunAt);
      expect(Number(latency)).toBeGreaterThan(status === "timeout" ? 2999 : 0);
      if (status === "200") expect(method).toBe("GET");
      if (status === "201") expect(method).toBe("POST");
    }
    const { timeouts, connectionErrors, statuses } = result;
    expect(counts).toEqual({ ...statuses, timeout: timeouts, broken: connectionErrors });
    expect(Math.min(timeouts, connectionErrors, statuses["503"] ?? 0)).toBeGreaterThan(0);
  },
);

test("a line has µs, and the start counts from the start of the load", async () => {
  const file = await newFile();
  const log = new RequestLog(file, performance.timeOrigin + 1000);
  log.add(3500.25, request, reply);
  log.add(3501, { method: "POST", path: "/" }, { name: "broken", ms: 1 });
  expect(await log.close()).toEqual({ lines: 2, leftOut: 0, failure: null });
  expect(await readFile(file, "utf8")).toBe("2500.250,GET,12.346,200\n2501.000,POST,1.000,broken\n");
});

test.runIf(process.platform === "linux")(
  "requests whose lines the disk rejects are counted, with the reason",
  async () => {
    const log = new RequestLog("/dev/full", performance.timeOrigin);
    for (let n = 0; n < 2000; n++) log.add(n, request, reply);
    expect(await log.close()).toEqual({ lines: 0, leftOut: 2000, failure: expect.stringContaining("ENOSPC") });
  },
);

test("a disk that is too slow costs lines, not memory without end", async () => {
  const file = await newFile();
  // Takes nothing until someone reads it.
  execFileSync("mkfifo", [file]);
  const log = new RequestLog(file, performance.timeOrigin);
  const added = 900_000;
  for (let n = 0; n < added; n++) log.add(n, request, reply);
  const written = text(createReadStream(file));
  const { lines, leftOut, failure } = await log.close();
  expect({ failure, sum: lines + leftOut }).toEqual({ failure: null, sum: added });
  expect((await written).trimEnd().split("\n")).toHaveLength(lines);
  const bytes = (await written).length;
  expect(leftOut).toBeGreaterThan(0);
  expect(bytes).toBeGreaterThan(16 * 2 ** 20);
  expect(bytes).toBeLessThan(17 * 2 ** 20);
});
