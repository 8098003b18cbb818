import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { GatewayRequest } from "../gateway/gateway.ts";

/** The POST of a form with these parts, each as name=text or name=@file. */
export async function formRequest(path: string, parts: readonly string[]): Promise<GatewayRequest> {
  const form = new FormData();
  for (const part of parts) {
    const [, name, isFile, value = ""] = /^([^=]+)=(@?)([^]*)$/.exec(part) ?? [];
    if (name === undefined)
      throw new CommandError(`--part: expected name=text or name=@file, got ${part.slice(0, 60)}`, exitCodes.usage);
    if (isFile === "@") form.append(name, new Blob([await readFile(value)]), basename(value));
    else form.append(name, value);
  }
  return { method: "POST", path, body: form };
}
