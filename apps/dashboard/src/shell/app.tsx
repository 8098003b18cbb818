import type { Status } from "@tally/telemetry";
import { useEffect, useRef } from "preact/hooks";
import { feed } from "../live/live-feed.ts";
import { useWatch, type Live } from "../live/use-watch.ts";
import { route } from "../route/route.ts";
import type { Boards } from "../views/boards/boards.ts";
import { Banner, StatusLine, KeyForm } from "./status-line.tsx";
import { Navigation } from "./navigation.tsx";
import { Message } from "../parts/panel.tsx";
import { BoardView } from "../views/boards/board-view.tsx";
import { ChainView } from "../views/chain/chain-view.tsx";
import { RegionView } from "../views/chain/region-view.tsx";
import { DeadLettersView } from "../views/dead-letters/dead-letters-view.tsx";
import { ItemsView } from "../views/items/items-view.tsx";
import { PipelineView } from "../views/pipeline/pipeline-view.tsx";
import { StoresView } from "../views/stores/stores-view.tsx";
import { WallView } from "../views/wall/wall-view.tsx";

/** The frame around each view: navigation, state of the system, and what is wrong. */
export function App() {
  const status = useWatch<Status>("/status");
  const views = useWatch<Boards>("/views");
  const main = useRef<HTMLElement>(null);
  const connection = feed.connection.value;
  const place = route.value.path.join("/");
  const before = useRef(place);

  // A view that the user went to is read from its beginning; the first one is not.
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    main.current?.focus();
    scrollTo(0, 0);
  }, [place]);

  if (place === "wall" && connection.state !== "key") return <WallView status={status} />;
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

function CurrentView({ status, views }: { readonly status: Live<Status>; readonly views: Live<Boards> }) {
  const { path, query } = route.value;
  const [name = "chain", first, second] = path;
  switch (name) {
    case "chain":
      return <ChainView status={status} part={first} />;
    case "regions":
      return first === undefined ? <ChainView status={status} /> : <RegionView key={first} region={first} />;
    case "stores":
      return <StoresView views={views} id={first} given={query} />;
    case "items":
      return <ItemsView views={views} id={first} given={query} />;
    case "boards":
      return <BoardView views={views} domain={first} name={second} given={query} />;
    case "pipeline":
      return <PipelineView status={status} />;
    case "dead-letters":
      return <DeadLettersView id={first} state={query["state"]} />;
    default:
      return (
        <>
          <h1>No such view</h1>
          <Message kind="empty">There is no view {name}. Choose one from the menu.</Message>
        </>
      );
  }
}
