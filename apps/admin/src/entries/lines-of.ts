const newline = 0x0a;

/** A line is longer than its reader allows. */
export class LineTooLong extends Error {
  readonly code = "LINE_TOO_LONG";
  /** From 1. */
  readonly line: number;

  constructor(line: number, bytesMax: number) {
    super(`expected at most ${bytesMax} bytes in a line`);
    this.line = line;
  }
}

/**
 * The lines of a text in UTF-8, without their ends; the last may be empty. Holds one line in memory, and throws LineTooLong before it holds more than
 * `bytesMax` and a chunk. Not readline: it also ends a line at U+2028, which a JSON text may contain.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>, bytesMax = Infinity): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let line = 1;
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes > bytesMax) throw new LineTooLong(line, bytesMax);
    pieces.push(piece);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end));
      yield Buffer.concat(pieces).toString();
      pieces = [];
      bytes = 0;
      line++;
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  yield Buffer.concat(pieces).toString();
}
