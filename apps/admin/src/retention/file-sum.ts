import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { finished } from "node:stream/promises";
import { Writable } from "node:stream";

/** What identifies a file of lines. */
export interface FileSum {
  readonly lines: number;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * A stream that sums what is written to it, and passes it on to `target`. `end` returns the sum when all of it was
 * passed on.
 */
export function summing(target?: Writable): { readonly stream: Writable; readonly end: () => Promise<FileSum> } {
  const hash = createHash("sha256");
  let [lines, bytes] = [0, 0];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) lines++;
      if (target === undefined || target.write(chunk)) done();
      else target.once("drain", done);
    },
  });
  return {
    stream,
    async end() {
      stream.end();
      await finished(stream);
      return { lines, bytes, sha256: hash.digest("hex") };
    },
  };
}

/** Reads a file to its end. */
export async function sumOfFile(path: string): Promise<FileSum> {
  const { stream, end } = summing();
  for await (const chunk of createReadStream(path)) stream.write(chunk);
  return end();
}

const lineEnd = 0x0a;
