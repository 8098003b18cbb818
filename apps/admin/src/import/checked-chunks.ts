import type { Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";

interface Watch {
  readonly hash?: Hash;
  readonly onBytes?: (bytes: number) => void;
}

/** The bytes of a file. Throws a CommandError for a file that is not UTF-8: its texts would be stored as other characters. */
export async function* checkedChunks(file: string, { hash, onBytes }: Watch = {}): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    const piece: Buffer = chunk;
    decode(decoder, piece, file, bytes);
    hash?.update(piece);
    onBytes?.((bytes += piece.length));
    yield piece;
  }
  decode(decoder, undefined, file, bytes);
}

function decode(decoder: TextDecoder, piece: Buffer | undefined, file: string, at: number): void {
  try {
    decoder.decode(piece, { stream: piece !== undefined });
  } catch (error) {
    if (error instanceof TypeError)
      throw new CommandError(`${file}: expected UTF-8, got other bytes after byte ${at}`, exitCodes.usage);
    throw error;
  }
}
