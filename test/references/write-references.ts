import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { references } from "./references.ts";

/* `pnpm references`: writes the generated documents. `oxfmt` formats them afterwards. Needs no servers. */
for (const [name, text] of Object.entries(await references())) {
  writeFileSync(join(import.meta.dirname, "..", "..", "docs", name), text);
}
