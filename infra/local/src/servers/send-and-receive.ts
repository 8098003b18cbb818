import { connect } from "node:net";

interface Exchange {
  /** Also bounds the time between two packets. Default 2,000. */
  readonly timeoutMs?: number;
  /** What the caller waits for in the bytes received so far; empty while it is missing. Default: all bytes. */
  readonly select?: (received: string) => string;
}

/** Sends `text` to a port of this machine and returns the first bytes of the response; empty on a timeout or a refused connection. */
export function sendAndReceive(
  port: number,
  text: string,
  { timeoutMs = 2000, select = (received) => received }: Exchange = {},
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    let received = "";
    const end = (response: string): void => {
      socket.destroy();
      resolve(response);
    };
    socket.setTimeout(timeoutMs, () => end(""));
    socket.once("error", () => end(""));
    socket.once("close", () => end(""));
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      const response = select(received);
      if (response !== "") end(response);
    });
    socket.once("connect", () => socket.write(text));
  });
}
