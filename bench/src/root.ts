import { join } from "node:path";

/** The checkout that is measured. */
export const root = join(import.meta.dirname, "..", "..");
