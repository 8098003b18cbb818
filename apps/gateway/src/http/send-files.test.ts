import { connect } from "node:net";
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { temporaryDirectory } from "@tally/local/at-end";
import fastify from "fastify";
import { expect, onTestFinished, test, vi } from "vitest";
import { reject, rejectionOfError } from "../errors/reject.ts";
import { rejection } from "../errors/catalogue.ts";
import { AddressBudget, responseBudget } from "./connection/address-limits.ts";
import { addFilesAndCompression, sendPageFile } from "./send-files.ts";

// More than the kernel buffers for a client that reads nothing.
const large = { text: "x".repeat(32 * 1024 * 1024) };
const pageText = "<!doctype html><title>tally</title>".repeat(1000);
const budgetBytes = 2.5 * large.text.length;

const rejected: string[] = [];

async function gateway() {
  rejected.length = 0;
  const folder = await temporaryDirectory();
  await writeFile(join(folder, "page.html"), pageText);
  const app = fastify();
  onTestFinished(() => app.close());
  app.decorate("onRejected", (code: string) => void rejected.push(code));
  app.decorate("errorKeyOf", () => "message" as const);
  app.setErrorHandler((error, _request, reply) => {
    const own = rejectionOfError(error);
    return own === undefined ? reply.code(500).send(String(error)) : reject(reply, own);
  });
  const budget = new AddressBudget(budgetBytes, budgetBytes);
  app.decorate("hasRoom", responseBudget(budget));
  await addFilesAndCompression(app);
  app.get("/large", (_request, reply) => {
    reply.headers({ "cache-control": "public", etag: '"1"', "content-disposition": "attachment" });
    return large;
  });
  app.post("/large", () => large);
  app.get("/small", () => ({}));
  // Three bytes each.
  app.get("/few", () => ({ text: "€".repeat(1000) }));
  app.get("/page", (_request, reply) => sendPageFile(reply, { folder, name: "page.html", policy: "style-src 'self'" }));
  return { app, budget };
}

test("a client that reads none of its pipelined responses holds only what the budget has", async () => {
  const { app, budget } = await gateway();
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const stalled = connect(Number(new URL(url).port), "127.0.0.1").pause();
  stalled.write("GET /large HTTP/1.1\r\nHost: tally\r\n\r\n".repeat(2));
  await vi.waitFor(async () => {
    expect((await fetch(`${url}/large`)).status).toBe(503);
  }, 10_000);
  expect((await fetch(`${url}/small`)).status).toBe(200);
  stalled.destroy();
  await vi.waitFor(() => expect(budget.take("other", budgetBytes)).toBe(true), 10_000);
  budget.release("other", budgetBytes);
  const response = await fetch(`${url}/large`);
  expect([response.status, await response.json()]).toEqual([200, large]);
});

test("a response of a few KiB that waits for the one before it is counted, and a current one is not", async () => {
  const { app, budget } = await gateway();
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  budget.take("other", budgetBytes - large.text.length - 1000);
  const few = await fetch(`${url}/few`, { headers: { "accept-encoding": "identity" } });
  expect([few.status, few.headers.get("vary")]).toEqual([200, "accept-encoding"]);
  const stalled = connect(Number(new URL(url).port), "127.0.0.1").pause();
  stalled.write(["/large", "/few"].map((path) => `GET ${path} HTTP/1.1\r\nHost: tally\r\n\r\n`).join(""));
  await vi.waitFor(() => expect(rejected).toEqual(["RESPONSES_FULL"]), 10_000);
  stalled.destroy();
});

test("a response without room is an error without the headers of what was not sent", async () => {
  const { app, budget } = await gateway();
  budget.take("other", budgetBytes);
  for (const [url, encoding] of [
    ["/large", "identity"],
    ["/large", "gzip"],
    ["/page", "identity"],
    ["/page", "br"],
  ] as const) {
    const { statusCode, headers, body } = await app.inject({ url, headers: { "accept-encoding": encoding } });
    expect([url, statusCode, body]).toEqual([
      url,
      503,
      JSON.stringify({ message: rejection("RESPONSES_FULL").message }),
    ]);
    expect(headers).toMatchObject({ "retry-after": "1", "content-type": "application/json; charset=utf-8" });
    for (const name of ["cache-control", "etag", "last-modified", "content-disposition", "content-encoding"])
      expect([url, name, headers[name]]).toEqual([url, name, undefined]);
  }
  // It has been carried out.
  expect((await app.inject({ url: "/large", method: "POST" })).statusCode).toBe(200);
  // A file counts what it has.
  budget.release("other", pageText.length);
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const page = await fetch(`${url}/page`);
  expect([page.status, (await page.text()).length]).toEqual([200, pageText.length]);
  await vi.waitFor(() => expect(budget.take("other", pageText.length)).toBe(true), 10_000);
  const headers = { "if-none-match": page.headers.get("etag") ?? "" };
  expect((await app.inject({ url: "/page", headers })).statusCode).toBe(304);
});
