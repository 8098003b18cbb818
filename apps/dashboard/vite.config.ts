import { defineConfig } from "vite";

// `pnpm --filter @tally/dashboard dev` reloads the page at each change, with the data of a running `pnpm dev`.
const gateway = "http://127.0.0.1:8080";
// All but the page and what Vite serves for it, so that a new domain needs no change here.
const data = "^/(?!$|\\?|index\\.html|@|src/|node_modules/)";

export default defineConfig({
  // Relative, so that the page works below a path of a proxy too.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { proxy: { [data]: gateway } },
  build: {
    // The Content-Security-Policy allows no data: URLs, and every supported browser has modulepreload.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "baseline-widely-available",
  },
});
