import { once } from "node:events";
import { createServer } from "node:net";
import type { FastifyInstance } from "fastify";

/*
 * In each turn of the event loop libuv accepts one connection of a listening socket. Under full load a turn takes some
 * ms, and the last of 500 new connections would wait for seconds. So several sockets listen at the port, and the kernel
 * spreads new connections over them (SO_REUSEPORT, which Node has on Linux).
 */
const socketsAtPort = 16;

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Resolves with the port. Rejects with EADDRINUSE when another server listens there. After another error, close the app:
 * some of its sockets may listen. */
export async function listen(app: FastifyInstance, { host, port: wanted }: Place): Promise<number> {
  const reusePort = process.platform === "linux";
  const { server } = app;
  const others = Array.from({ length: reusePort ? socketsAtPort - 1 : 0 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void server.emit("connection", socket)),
  );
  let closed: readonly Promise<unknown>[] = [];
  app.addHook("preClose", (done) => {
    closed = others.map((other) => once(other.close(), "close"));
    done();
  });
  // Fastify has closed the server by then, and its idle connections.
  app.addHook("onClose", async () => void (await Promise.all(closed)));
  // Before the check, so that the port is taken right after it.
  await app.ready();
  // With SO_REUSEPORT a second gateway at the same port would take half of the connections.
  if (reusePort && wanted > 0) await checkFree({ host, port: wanted });
  // Fastify passes all of it on, and its type does not know `reusePort`.
  const place = { host, port: wanted, reusePort };
  await app.listen(place);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : wanted;
  await Promise.all(others.map((other) => once(other.listen({ host, port, reusePort }), "listening")));
  return port;
}

async function checkFree(place: Place): Promise<void> {
  const probe = createServer().listen(place);
  await once(probe, "listening");
  await once(probe.close(), "close");
}
