import { createServer } from "node:http";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { hopsBetween, readHops } from "./hops.ts";

test("hops are the differences of the apps' histograms, summed over apps, threads and domains", async () => {
  let scale = 1;
  const line = (metric: string, labels: string, counts: readonly number[]) =>
    ["0.01", "0.1", "+Inf"].map((le, i) => `${metric}_bucket{${labels},le="${le}"} ${(counts[i] ?? 0) * scale}`);
  const server = createServer((_, response) =>
    response.end(
      [
        ...line("tally_gateway_hop_seconds", 'domain="a",hop="received-sealed"', [10, 10, 10]),
        ...line("tally_gateway_hop_seconds", 'domain="a",hop="sealed-confirmed"', [0, 90, 100]),
        ...line("tally_writer_stored_after_seconds", 'domain="a",thread="0"', [10, 20, 20]),
        ...line("tally_writer_stored_after_seconds", 'domain="b",thread="1"', [0, 20, 20]),
        ...line("tally_ranker_ranked_after_seconds", 'domain="a"', [0, 0, 0]),
      ].join("\n"),
    ),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const urls = [`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`];
  const system = { operatorUrls: urls, writerUrls: urls, rankerUrls: urls };
  const before = await readHops(system);
  scale = 3;
  const hops = hopsBetween(before, await readHops(system));
  expect(hops.map(({ name, batches, p50Ms, p99Ms }) => [name, batches, p50Ms, p99Ms])).toEqual([
    ["received to sealed", 20, 5, 9.9],
    ["sealed to confirmed", 200, 60, 100],
    ["sealed to stored", 80, 40, 98.8],
  ]);
  expect(hops[1]?.buckets).toEqual([
    { ms: 10, batches: 0 },
    { ms: 100, batches: 180 },
    { ms: null, batches: 20 },
  ]);
});
