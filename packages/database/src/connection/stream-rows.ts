import type { Connection } from "mysql2";
import { DatabaseError } from "./database-error.ts";
import { fromDriverError, type DriverError } from "./driver-error.ts";
import { destroyConnection } from "./run-statement.ts";

const rowsPerChunk = 5000;

/**
 * The rows of one SELECT, each an array of its columns, in chunks of up to 5,000: a result of any size in the memory of
 * two chunks. The server waits while the consumer works. Throws DatabaseError, also after `silenceMs` without a row;
 * then, and when the consumer ends early, it destroys the connection.
 */
export async function* streamRows(
  connection: Connection,
  text: string,
  label: string,
  silenceMs: number,
): AsyncGenerator<readonly (readonly unknown[])[]> {
  let chunk: (readonly unknown[])[] = [];
  let state: "open" | "ended" | DatabaseError = "open";
  let wake: () => void = () => undefined;
  const query = connection.query({ sql: text, values: null, rowsAsArray: true });
  query.on("result", (row: unknown) => {
    if (!Array.isArray(row)) return;
    if (chunk.push(row) < rowsPerChunk) return;
    connection.pause();
    wake();
  });
  query.on("error", (error: DriverError) => {
    state = fromDriverError(error, label);
    wake();
  });
  query.on("end", () => {
    if (state === "open") state = "ended";
    wake();
  });
  const settled = (): boolean => state !== "open" || chunk.length >= rowsPerChunk;
  try {
    for (;;) {
      if (!settled()) {
        const timer = setTimeout(() => {
          state = new DatabaseError("DATABASE_TIMEOUT", `no row within ${silenceMs} ms, in: ${label}`);
          wake();
        }, silenceMs);
        await new Promise<void>((resolve) => (wake = resolve));
        clearTimeout(timer);
      }
      if (typeof state === "object") throw state;
      const full = chunk;
      chunk = [];
      const ended = stateIs(state, "ended");
      if (!ended) connection.resume();
      if (full.length > 0) yield full;
      if (ended) return;
    }
  } finally {
    if (!stateIs(state, "ended")) destroyConnection(connection);
  }
}

// The callbacks above change the state between two reads; the compiler does not see that.
function stateIs(state: unknown, name: string): boolean {
  return state === name;
}
