import { buildPage } from "./build-page.ts";

/* `turbo run build`, `pnpm dev` and the image of the gateway build the page with this. */

const start = performance.now();
const isNew = await buildPage();
process.stdout.write(
  isNew ? `page: built in ${((performance.now() - start) / 1000).toFixed(1)} s\n` : "page: up to date\n",
);
