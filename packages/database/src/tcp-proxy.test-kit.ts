import { connect, createServer, type Socket } from "node:net";

/** Passes bytes on to the server of `url`. `onRequest` sees what the client sends and may cut its connection. */
export async function tcpProxy(url: string, onRequest: (data: Buffer, client: Socket) => void = () => {}, port = 0) {
  const { hostname, port: targetPort } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(targetPort), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.end();
      });
    }
    client.on("data", (data) => {
      upstream.write(data);
      onRequest(Buffer.from(data), client);
    });
    upstream.on("data", (data) => client.write(data));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  const proxied = new URL(url);
  proxied.port = String(address.port);
  return {
    url: proxied.href,
    port: address.port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
