import { writeFile } from "node:fs/promises";
import { typesOfDocument } from "./types-of-document.ts";

/* `pnpm --filter @tally/client generate`: writes the types of docs/openapi.json. */

await writeFile(new URL("openapi.ts", import.meta.url), await typesOfDocument());
