import type { Status } from "@tally/telemetry";
import { useEffect, useRef } from "preact/hooks";
import { feed } from "../live/live-feed.ts";
import { recordStatus } from "../live/status-history.ts";
import { useWatch } from "../live/use-watch.ts";
import { route } from "../route/route.ts";
import type { Board } from "../views/boards/boards.ts";
import { Banner } from "./banner.tsx";
import { CurrentView } from "./current-view.tsx";
import { KeyForm } from "./key-form.tsx";
import { Navigation } from "./navigation.tsx";
import { StatusLine } from "./status-line.tsx";
import { ThemeChoice } from "./theme-choice.tsx";

/** The frame around each view: navigation, state of the system, and what is wrong. */
export function App() {
  const status = useWatch<Status>("/status");
  const views = useWatch<{ readonly views: readonly Board[] }>("/views");
  const main = useRef<HTMLElement>(null);
  const connection = feed.connection.value;
  const place = route.value.path.join("/");
  const before = useRef(place);

  useEffect(() => {
    if (status.body !== undefined) recordStatus(status.body);
  }, [status.body]);

  // A view that the user went to is read from its beginning; the first one is not.
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    main.current?.focus();
    scrollTo(0, 0);
  }, [place]);

  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="#/">
          tally
        </a>
        <StatusLine status={status} />
        <ThemeChoice />
      </header>
      <Navigation views={views.body?.views ?? []} deadLetters={status.body?.deadLetters?.open} />
      <main id="main" tabIndex={-1} ref={main}>
        <Banner status={status} />
        {connection.state === "key" ? (
          <KeyForm reason={connection.reason} />
        ) : (
          <CurrentView status={status} views={views} />
        )}
      </main>
    </>
  );
}
