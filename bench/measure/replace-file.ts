import { rename, writeFile } from "node:fs/promises";

/** A reader sees the old content or the new one, also when this process is killed. */
export async function replaceFile(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content);
  await rename(`${file}.new`, file);
}
