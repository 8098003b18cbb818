import { render } from "preact";
import { feed, startClock } from "./live/live-feed.ts";
import { startRouting } from "./route/route.ts";
import { App } from "./shell/app.tsx";

startClock();
feed.followVisibility();
startRouting();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
