import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

/** A file that grows by whole writes. Calls must not overlap. */
export class AppendFile {
  readonly #path: string;
  #handle: FileHandle;
  #size: number;
  // Set when the end of the file is unknown.
  #broken: unknown;

  private constructor(path: string, handle: FileHandle, size: number) {
    this.#path = path;
    this.#handle = handle;
    this.#size = size;
  }

  /** Opens or creates the file, and cuts it to `size` bytes. Only its owner may read it. */
  static async open(path: string, size: number): Promise<AppendFile> {
    // A crash has left it before it replaced the file.
    await rm(newFileOf(path), { force: true });
    const handle = await open(path, "a", 0o600);
    await handle.truncate(size);
    await syncDirectory(path);
    return new AppendFile(path, handle, size);
  }

  get size(): number {
    return this.#size;
  }

  /** Appends all of the text or nothing. With `durable` it is on disk when this resolves. */
  async append(text: string, { durable }: { readonly durable: boolean }): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const bytes = Buffer.from(text);
    try {
      await this.#handle.appendFile(bytes);
      if (durable) await this.#handle.datasync();
    } catch (error) {
      // A part of a line would damage the next one.
      await this.#handle.truncate(this.#size).catch(() => (this.#broken = error));
      throw error;
    }
    this.#size += bytes.length;
  }

  /** Needs no space on the disk. */
  async clear(): Promise<void> {
    await this.#handle.truncate(0);
    this.#size = 0;
    this.#broken = undefined;
  }

  /** Replaces the content: after a crash the file has the old or the new one. */
  async replace(text: string): Promise<void> {
    const path = newFileOf(this.#path);
    const bytes = Buffer.from(text);
    const next = await open(path, "w", 0o600);
    try {
      await next.writeFile(bytes);
      await next.sync();
    } finally {
      await next.close();
    }
    // Closed first: Windows does not replace an open file.
    await this.#handle.close();
    try {
      await rename(path, this.#path);
      this.#size = bytes.length;
    } finally {
      this.#handle = await open(this.#path, "a", 0o600);
    }
    await syncDirectory(this.#path);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

const newFileOf = (path: string): string => `${path}.new`;

/** Makes a new name durable. */
async function syncDirectory(path: string): Promise<void> {
  // Windows does not open directories; its names are durable with the file.
  if (process.platform === "win32") return;
  const directory = await open(dirname(path), "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
