import { closeSync, existsSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";

/** A file that an import writes: created with its first text, so that an import without any leaves none. */
export class OutputFile {
  /** The new name of a file that had this name, perhaps a corrected one; undefined: there was none. */
  readonly earlier: string | undefined;
  readonly #path: string;
  readonly #head: string;
  #descriptor: number | undefined;

  constructor(path: string, head: string) {
    this.#path = path;
    this.#head = head;
    if (!existsSync(path)) return;
    // With the time before the extension: such a file can be imported too.
    const { dir, name, ext } = parse(path);
    this.earlier = join(dir, `${name}.until-${new Date().toISOString().replaceAll(/[-:]/g, "")}${ext}`);
    renameSync(path, this.earlier);
  }

  append(text: string): void {
    if (text === "") return;
    if (this.#descriptor === undefined) {
      this.#descriptor = openSync(this.#path, "wx");
      writeFileSync(this.#descriptor, this.#head);
    }
    writeFileSync(this.#descriptor, text);
  }

  /** What was appended is on disk when this returns. */
  close(): void {
    if (this.#descriptor === undefined) return;
    fsyncSync(this.#descriptor);
    closeSync(this.#descriptor);
  }
}
