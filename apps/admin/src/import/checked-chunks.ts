import { open, type FileHandle } from "node:fs/promises";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";

/** Looks at each block before it is yielded, and at the file after the last. What it throws ends the reading. */
export interface BlockWatch {
  onBlock(block: Buffer, handle: FileHandle): void | Promise<void>;
  onEnd?(handle: FileHandle): void | Promise<void>;
}

const blockBytes = 256 * 1024;

/**
 * The bytes of a file, at most its first `bytesMax`, in blocks of 256 KiB. Throws a CommandError for a file that is not UTF-8: its texts would
 * be stored as other characters.
 */
export async function* checkedChunks(file: string, watch?: BlockWatch, bytesMax = Infinity): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const handle = await open(file);
  try {
    let bytes = 0;
    for (;;) {
      const block = await blockAt(handle, bytes, Math.min(blockBytes, bytesMax - bytes));
      if (block.length === 0) break;
      await watch?.onBlock(block, handle);
      decode(decoder, block, file, bytes);
      bytes += block.length;
      yield block;
    }
    await watch?.onEnd?.(handle);
    decode(decoder, undefined, file, bytes);
  } finally {
    await handle.close();
  }
}

/** Full, except at the end of the file: equal content gives equal blocks. */
async function blockAt(handle: FileHandle, position: number, size: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(block, filled, size - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return block.subarray(0, filled);
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
