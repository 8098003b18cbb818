import { getEventListeners } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { listensForAllErrors } from "./listens-for-all-errors.ts";

test("a socket whose only listener has had its error still has one, and is not kept", async () => {
  const socket = connect({ host: "127.0.0.1", port: 1, ...listensForAllErrors });
  socket.once("error", () => undefined);
  await new Promise((closed) => socket.once("close", closed));
  expect(() => socket.emit("error", new Error("not TLS"))).not.toThrow();
  expect(getEventListeners(listensForAllErrors.signal, "abort")).toEqual([]);
});
