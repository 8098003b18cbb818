import { join } from "node:path";

/** The checkout under test. */
export const root = join(import.meta.dirname, "..", "..");
