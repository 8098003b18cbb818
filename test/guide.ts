import { readFileSync } from "node:fs";

/** The code blocks of a document: files, and commands with their output. */
export interface Guide {
  /** The path is the heading above the block. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly commands: readonly { readonly line: string; readonly printed: string }[];
}

/** Throws for a block that is neither a file nor commands. */
export function readGuide(document: string): Guide {
  const files: Guide["files"][number][] = [];
  const commands: Guide["commands"][number][] = [];
  let path = "";
  const parts = readFileSync(document, "utf8").matchAll(/^## `(.+?)`|^```(\w*)\n([\s\S]*?)^```$/gm);
  for (const [, heading, language = "", block = ""] of parts) {
    if (heading !== undefined) path = heading;
    else if (language === "ts" || language === "sql") files.push({ path, text: block });
    else if (language === "console") {
      for (const command of block.split(/^\$ /m).slice(1)) {
        const [line = "", ...printed] = command.trim().split("\n");
        commands.push({ line, printed: printed.join("\n") });
      }
    } else throw new Error(`${document}: expected only blocks of ts, sql and console, got:\n${block}`);
  }
  return { files, commands };
}

/** Sends the request of a curl command to another server. Returns what curl prints; with -i only the status line. */
export async function curl(line: string, url: string): Promise<string> {
  const read =
    /^curl (?<head>-i )?(?:-X (?<method>POST) )?'?http:\/\/127\.0\.0\.1:8080(?<path>[^ ']+)'?(?: -H '(?<header>[^:']+): (?<value>[^']+)')?(?: -d '(?<body>[^']*)')?$/.exec(
      line,
    )?.groups;
  if (read === undefined) throw new Error(`unknown form of curl command: ${line}`);
  const { head, method = "GET", path = "", header, value = "", body } = read;
  const response = await fetch(url + path, {
    method,
    headers: header === undefined ? {} : { [header]: value },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return head === undefined ? text : `HTTP/1.1 ${response.status} ${response.statusText}`;
}
