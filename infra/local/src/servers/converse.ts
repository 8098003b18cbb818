import { connect } from "node:net";

const ANSWER_WITHIN_MS = 2_000;

/** Connects to a port of this machine, says `text` and gives the first bytes of the answer; empty when there is none. */
export function converse(port: number, text: string, withinMs = ANSWER_WITHIN_MS): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const end = (answer: string): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(withinMs, () => end(""));
    socket.once("error", () => end(""));
    socket.once("close", () => end(""));
    socket.once("data", (bytes) => end(bytes.toString("latin1")));
    socket.once("connect", () => socket.write(text));
  });
}
