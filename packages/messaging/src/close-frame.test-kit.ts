/** What a broker sends that ends the connection, or the first channel of it (AMQP 0-9-1, connection.close and channel.close). */
export function closeFrame(what: "connection" | "channel", code: number, reason: string): Buffer {
  const text = Buffer.from(reason);
  const method = Buffer.alloc(7);
  method.writeUInt16BE(what === "connection" ? 10 : 20, 0);
  method.writeUInt16BE(what === "connection" ? 50 : 40, 2);
  method.writeUInt16BE(code, 4);
  method.writeUInt8(text.length, 6);
  // Class and method of the cause: none.
  const payload = Buffer.concat([method, text, Buffer.alloc(4)]);
  const head = Buffer.alloc(7);
  head.writeUInt8(1, 0);
  head.writeUInt16BE(what === "connection" ? 0 : 1, 1);
  head.writeUInt32BE(payload.length, 3);
  return Buffer.concat([head, payload, Buffer.from([0xce])]);
}
