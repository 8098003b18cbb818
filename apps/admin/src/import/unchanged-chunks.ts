import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { checkedChunks } from "./checked-chunks.ts";
import type { Inspection } from "./inspect-file.ts";

/**
 * The bytes that `inspectFile` has read. The keys of the lines belong to this content, so no other content is yielded: throws a CommandError as
 * soon as a block or the size of the file differs. With `name` the keys do not depend on the content, and only the size is bounded.
 */
export function unchangedChunks(
  file: string,
  name: string | undefined,
  { bytes, hashes }: Inspection,
): AsyncGenerator<Buffer> {
  if (name !== undefined) return checkedChunks(file, undefined, bytes);
  const content = createHash("sha256");
  let blocks = 0;
  async function expectSize(handle: FileHandle): Promise<void> {
    if ((await handle.stat()).size !== bytes) throw changed(file, bytes);
  }
  return checkedChunks(
    file,
    {
      async onBlock(block, handle) {
        await expectSize(handle);
        if (hashes[blocks++]?.equals(content.update(block).copy().digest()) !== true) throw changed(file, bytes);
      },
      async onEnd(handle) {
        await expectSize(handle);
        if (blocks !== hashes.length) throw changed(file, bytes);
      },
    },
    bytes,
  );
}

function changed(file: string, bytes: number): CommandError {
  return new CommandError(
    `${file}: the file changed during the import. Only lines of its earlier content, the first ${bytes} bytes, were sent, and their keys belong to ` +
      "it. Restore that content and repeat the command: nothing is stored twice. Import lines that were added as an own file; " +
      "begin the import of a file that grows with --name",
    exitCodes.usage,
  );
}
