import type { Domain } from "@tally/contract";
import { domains } from "@tally/domains";
import { Option } from "commander";
import { usageError } from "./command.ts";

/** For commands that work domain by domain. */
export const domainsFlag = new Option("--domain <name...>", "only these domains (default: all)");

export interface DomainsFlag {
  readonly domain?: readonly string[];
}

/** The domains of the flag, or all. Throws a CommandError for an unknown name. */
export function domainsOf({ domain: names }: DomainsFlag): readonly Domain[] {
  return names === undefined ? domains : names.map((name) => domainNamed(name));
}

/** Throws a CommandError for an unknown name. `others`: what else the command takes. */
export function domainNamed(name: string, others: readonly string[] = []): Domain {
  const found = domains.find((domain) => domain.name === name);
  if (found !== undefined) return found;
  const names = [...domains.map((one) => one.name), ...others];
  throw usageError(`--domain: expected one of ${names.join(", ")}, got ${name}`);
}

/** What has files of this name: a domain, some of its events, or its configuration, which has `puts` and no `routes`.
 * Throws a CommandError for an unknown name. */
export function fileDomainNamed(name: string): Domain {
  for (const domain of domains) {
    const other = domain.otherFiles?.[name];
    if (other === undefined) continue;
    const { route, files } = other;
    return { ...domain, files, ...(route.kind === "put" ? { routes: [], puts: [route] } : { routes: [route] }) };
  }
  const others = domains.flatMap(({ otherFiles }) => Object.keys(otherFiles ?? {}));
  return domainNamed(name, others);
}

/** For commands whose result a program may read. */
export interface JsonFlag {
  readonly json?: boolean | undefined;
}

export const jsonFlag = new Option("--json", "as JSON");

/** Prints the result of a command: with --json the value, else the text. */
export function print({ json }: JsonFlag, value: unknown, text: string): void {
  process.stdout.write(json === true ? `${JSON.stringify(value, undefined, 2)}\n` : text);
}

/** For commands that read rows. */
export const endpointFlag = new Option("--endpoint <which>", "the database endpoint to read from")
  .choices(["read", "write"])
  .default("read");
