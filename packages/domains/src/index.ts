export { domains } from "./domains.ts";
