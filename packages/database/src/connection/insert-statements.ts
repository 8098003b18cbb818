import { escape } from "mysql2";
import type { SqlValue } from "@tally/contract";
import { DatabaseError } from "./database-error.ts";

/**
 * The statements that insert `rows` by "INSERT INTO t (a, b) VALUES ?", nearly always one: a new statement begins after
 * about a million characters.
 *
 * Why we build the text: CPU per transaction of 500 rows with 7 columns and 2,500 rows with 4, client + server in ms,
 * on 2 cores (process.cpuUsage() and the server's /proc/PID/stat, 72 to 200 transactions each, alternating):
 *   MariaDB 10.11: this 1.9 + 9.3, mysql2's nested arrays 2.8 + 9.2, prepared statements of 500 rows 3.7 + 8.4, of 100 rows 4.7 + 8.9
 *   MySQL 9.7:     this 2.7 + 15.6, nested arrays 4.3 + 16.0, prepared statements of 500 rows 30 + 16
 */
export function insertStatements(sql: string, rows: readonly (readonly SqlValue[])[]): readonly string[] {
  const at = sql.indexOf(placeholder);
  if (at < 0) throw new DatabaseError("DATABASE_STATEMENT", `insert needs "VALUES ?", in: ${sql}`);
  const head = sql.slice(0, at + placeholder.length - 1);
  const tail = `)${sql.slice(at + placeholder.length)}`;

  const statements: string[] = [];
  let text = head;
  let separator = "(";
  // Consecutive rows often have the same Buffer in a column, such as the batch's producer: convert it to hex once.
  const lastBuffers: Buffer[] = [];
  const lastHexes: string[] = [];
  for (const row of rows) {
    if (text.length > textLengthAim) {
      statements.push(text + tail);
      text = head;
      separator = "(";
    }
    let rowText = separator;
    for (let column = 0; column < row.length; column++) {
      const value = row[column] ?? null;
      if (column > 0) rowText += ",";
      if (typeof value === "number") {
        if (!Number.isFinite(value))
          throw new DatabaseError("DATABASE_DATA", `${value} is not an SQL number, in: ${sql}`);
        rowText += value;
      } else if (Buffer.isBuffer(value)) {
        if (value !== lastBuffers[column]) {
          lastBuffers[column] = value;
          lastHexes[column] = `x'${value.toString("hex")}'`;
        }
        rowText += lastHexes[column];
      } else {
        rowText += escape(value, true, "Z");
      }
    }
    text += rowText;
    separator = "),(";
  }
  if (rows.length > 0) statements.push(text + tail);
  return statements;
}

const placeholder = "VALUES ?";
const textLengthAim = 1_000_000;
