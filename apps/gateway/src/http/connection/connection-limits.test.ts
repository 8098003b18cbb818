import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { listen } from "@tally/local/at-end";
import { expect, onTestFinished, test, vi } from "vitest";
import { AddressBudget, limitConnections, type ConnectionLimits } from "./address-limits.ts";

async function serve(limits: Partial<ConnectionLimits>) {
  const rejected: string[] = [];
  const sockets: Socket[] = [];
  const { server, url } = await listen((_request, response) => response.end("ok"));
  const onRejected = (limit: string) => rejected.push(limit);
  limitConnections(server, { max: 100, perAddressMax: 100, isProxy: () => false, onRejected, ...limits });
  /** Whether a new connection is served; it stays open then. */
  async function isServed(localAddress: string): Promise<boolean> {
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", localAddress });
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    sockets.push(socket);
    socket.write("GET / HTTP/1.1\r\nHost: tally\r\n\r\n");
    return Promise.race([once(socket, "data").then(() => true), once(socket, "close").then(() => false)]);
  }
  return { rejected, sockets, isServed };
}

test("an address gets its connections and no more, until one of them has closed", async () => {
  const { rejected, sockets, isServed } = await serve({ perAddressMax: 2 });
  for (const served of [true, true, false]) expect(await isServed("127.0.0.1")).toBe(served);
  expect(await isServed("127.0.0.2")).toBe(true);
  expect(rejected).toEqual(["address"]);
  sockets[0]?.destroy();
  await vi.waitFor(async () => expect(await isServed("127.0.0.1")).toBe(true), 10_000);
});

test("all addresses together get no more than the limit, also behind a trusted proxy", async () => {
  const { rejected, isServed } = await serve({
    max: 3,
    perAddressMax: 1,
    isProxy: (address) => address === "127.0.0.1",
  });
  for (const address of ["127.0.0.1", "127.0.0.1", "127.0.0.2"]) expect(await isServed(address)).toBe(true);
  for (const address of ["127.0.0.1", "127.0.0.3"]) expect(await isServed(address)).toBe(false);
  expect(rejected).toEqual(["all", "all"]);
});

test("an address gets no more than its share, and all of them no more than the budget", () => {
  const budget = new AddressBudget(100, 60);
  expect(budget.take("a", 60)).toBe(true);
  expect(budget.take("a", 1)).toBe(false);
  expect(budget.take("b", 40)).toBe(true);
  expect(budget.take("c", 1)).toBe(false);
  budget.release("a", 30);
  expect(budget.take("c", 30)).toBe(true);
  expect(budget.take("a", 1)).toBe(false);
  budget.release("c", 30);
  expect(budget.take("a", 30)).toBe(true);
});
