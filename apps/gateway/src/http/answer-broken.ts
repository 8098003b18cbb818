import { maxHeaderSize, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/**
 * Answers a request that Node's parser cannot read, or that did not arrive in time, as any other mistake is answered, and
 * closes its connection.
 */
export function answerBroken(error: NodeJS.ErrnoException, socket: Socket, onRefused: (status: number) => void): void {
  // The client is gone: there is nobody left to tell.
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const { status, message } = refusalOfCode(error.code);
  onRefused(status);
  const body = JSON.stringify({ message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  if (socket.writable) socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  socket.destroySoon();
}

function refusalOfCode(code: string | undefined): { readonly status: number; readonly message: string } {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { status: 431, message: `headers: expected at most ${maxHeaderSize} bytes together` };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, message: "request: expected all of it sooner" };
    case undefined:
    default:
      return { status: 400, message: "request: expected HTTP/1.1" };
  }
}
