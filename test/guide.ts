import { readFileSync } from "node:fs";

/** A document that builds something: files, and commands with what they print. */
export interface Guide {
  /** The text of each file, by the path that the heading above its block names. */
  readonly files: ReadonlyMap<string, string>;
  /** In their order. */
  readonly commands: readonly { readonly line: string; readonly printed: string }[];
}

/** Reads all code blocks of a document. Throws for one that is neither a file under its heading nor commands. */
export function readGuide(document: string): Guide {
  const files = new Map<string, string>();
  const commands: Guide["commands"][number][] = [];
  let heading: string | undefined;
  for (const [, title, language, block = ""] of readFileSync(document, "utf8").matchAll(
    /^## (.*)$|^```(\w*)\n([\s\S]*?)^```$/gm,
  )) {
    if (title !== undefined) {
      heading = /`(.+?)`/.exec(title)?.[1];
    } else if (language === "console") {
      for (const command of block.split(/^\$ /m).slice(1)) {
        const [line = "", ...printed] = command.trim().split("\n");
        commands.push({ line, printed: printed.join("\n") });
      }
    } else if ((language === "ts" || language === "sql") && heading !== undefined && !files.has(heading)) {
      files.set(heading, block);
    } else {
      throw new Error(`${document}: a block that nobody runs:\n${block}`);
    }
  }
  return { files, commands };
}

/** Sends what a curl command in a document sends, to another server; answers what curl prints, with -i the status line alone. */
export async function curl(line: string, url: string): Promise<string> {
  const read =
    /^curl (?<head>-i )?(?:-X (?<method>POST) )?'?http:\/\/127\.0\.0\.1:8080(?<path>[^ ']+)'?(?: -H '(?<header>[^:']+): (?<value>[^']+)')?(?: -d '(?<body>[^']*)')?$/.exec(
      line,
    )?.groups;
  if (read === undefined) throw new Error(`not understood: ${line}`);
  const { head, method = "GET", path = "", header, value = "", body } = read;
  const response = await fetch(url + path, {
    method,
    headers: header === undefined ? {} : { [header]: value },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return head === undefined ? text : `HTTP/1.1 ${response.status} ${response.statusText}`;
}
