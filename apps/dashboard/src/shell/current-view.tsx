import type { Status } from "@tally/telemetry";
import type { Live } from "../live/use-watch.ts";
import { Message } from "../parts/message.tsx";
import { route } from "../route/route.ts";
import { BoardView } from "../views/boards/board-view.tsx";
import type { Board } from "../views/boards/boards.ts";
import { DeadLettersView } from "../views/dead-letters/dead-letters-view.tsx";
import { ItemsView } from "../views/items/items-view.tsx";
import { PipelineView } from "../views/pipeline/pipeline-view.tsx";
import { StoresView } from "../views/stores/stores-view.tsx";

interface CurrentViewProps {
  readonly status: Live<Status>;
  readonly views: Live<{ readonly views: readonly Board[] }>;
}

/** The view that the address names. */
export function CurrentView({ status, views }: CurrentViewProps) {
  const { path, query } = route.value;
  const [name = "stores", first, second] = path;
  switch (name) {
    case "stores":
      return <StoresView storeID={first} date={query["date"]} />;
    case "items":
      return <ItemsView itemID={first} />;
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
