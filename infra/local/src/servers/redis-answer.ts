import { connect } from "node:net";

const ANSWER_WITHIN_MS = 2_000;

/**
 * Says a command to a Redis on this machine as its administrator and gives the first bytes of the answer; empty when there is none. A refused
 * password is an answer too.
 */
export function redisAnswer(
  { port, password }: { readonly port: number; readonly password: string },
  command: string,
  withinMs = ANSWER_WITHIN_MS,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    let heard = "";
    const end = (answer: string): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(withinMs, () => end(""));
    socket.once("error", () => end(""));
    socket.once("close", () => end(""));
    socket.on("data", (bytes) => {
      heard += bytes.toString("latin1");
      const answer = heard.startsWith("+OK\r\n") ? heard.slice("+OK\r\n".length) : heard;
      if (answer !== "") end(answer);
    });
    socket.once("connect", () => socket.write(`AUTH tally ${password}\r\n${command}\r\n`));
  });
}
