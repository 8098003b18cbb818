import { readFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const document = new URL("../../../../docs/openapi.json", import.meta.url);

/** The TypeScript types of docs/openapi.json, the content of openapi.ts. */
export async function typesOfDocument(): Promise<string> {
  const types = await openapiTS(await readFile(document, "utf8"), { immutable: true });
  const text = astToString(types).replace(/^( +)(?:readonly )?responses: \{.*?^\1\};/gms, asClientsReadIt);
  return `/* Generated from docs/openapi.json: pnpm --filter @tally/client generate */\n\n${text}`;
}

// In a response, openapi-fetch takes a readonly array for an object, whose methods it cannot call.
// A second type beside JSON would make each response a union.
const asClientsReadIt = (text: string): string =>
  text.replaceAll(": readonly ", ": ").replaceAll(/\n +(?:readonly )?"text\/csv": string;/g, "");
