import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { domains } from "@tally/domains";
import { listen } from "@tally/local/at-end";
import { expect, test } from "vitest";
import { gatewayOf } from "../gateway/gateway.ts";
import { sendLines } from "./send-lines.ts";

test("a request that is not complete in time is sent again in smaller parts; later ones grow slowly", async () => {
  const sizes: number[] = [];
  let inTimeMax = 3;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { length } = (await text(request)).split("\n");
    sizes.push(length);
    const isLate = length > inTimeMax;
    if (isLate) await delay(700);
    const results = Array.from({ length }, (_, index) => ({ index, status: 201, id: "a" }));
    response.statusCode = isLate ? 408 : 207;
    response.end(JSON.stringify(isLate ? { message: "body: expected it within 20 s" } : { results }));
  };
  const { url } = await listen(respond);
  const lines = Array.from({ length: 12 }, (_, n) => ({ number: n + 1, cells: [], content: { entry: {} } }));
  const sending = {
    domain: domains.find(({ name }) => name === "purchases") ?? expect.fail("no purchases"),
    gateway: gatewayOf({ url }),
    skippedLines: new Set<number>(),
    concurrency: 1,
    giveUpAfterMs: 1000,
    identity: "content",
    signal: new AbortController().signal,
    size: { entriesMax: Infinity },
    onSettled: () => undefined,
  };
  expect(await sendLines(lines, sending)).toEqual(lines.map(() => ({ id: "a" })));
  await sendLines(lines.slice(4), sending);
  expect(sizes).toEqual([12, 6, 3, 3, 3, 3, 3, 3, 2]);
  inTimeMax = 0;
  await expect(sendLines(lines.slice(11), sending)).rejects.toThrow("responds 408");
  inTimeMax = Infinity;
  for (let n = 0; n < 3; n++) await sendLines(lines, sending);
  expect(sizes.slice(10)).toEqual(expect.arrayContaining([3, 4]));
});
