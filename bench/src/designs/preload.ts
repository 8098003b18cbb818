import { join } from "node:path";
import { registerSourceEdits } from "@tally/local/source-edits";
import { designNames, durabilityNames, editsOf } from "./designs.ts";

/* Runs before an app, in its main thread and in each of its threads (`node --import`). All it is told stands in its own URL. */

const told = new URL(import.meta.url).searchParams;
const design = designNames.find((name) => name === told.get("design"));
const durability = durabilityNames.find((name) => name === told.get("durability"));
if (design === undefined || durability === undefined) throw new TypeError("needs a design and a durability");
registerSourceEdits(join(import.meta.dirname, "..", "..", ".."), told.get("app"), editsOf(design, durability));
